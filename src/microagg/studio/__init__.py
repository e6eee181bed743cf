"""The studio: pages on this machine on which a data protector does the whole job, from a file to a release.

    guard.py     who may ask for anything: host, origin, key, sizes
    house.py     `Studio`: folders, jobs, and the projects of each user; `Here`, `Opened` in signatures of pages
    project.py   `Project`: the data by their place, the list of plans, results; a file that holds no data
    jobs.py      `Jobs`: work in processes of its own; worker.py is what runs there, work/ what it does
    pages/       one file for each page: PAGE, a router, and a template in templates/; scripts in static/

A page reads `project.plan`, `project.look` (the columns) and `project.source`; it changes the plan by
`project.change(plan, title, revision)` and has long work done by `studio.jobs.once(...)`; its template shows
`parts.job(job)` meanwhile. Everything that a page changes is posted as JSON by `change()` of static/studio.js.
"""

"""Work in processes: it can be cancelled, paused and killed at any moment, and leaves nothing behind."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest
from houses import is_alive, wait_for

from microagg.studio.jobs import JobRefused, Jobs, State

HERE = Path(__file__).parent


@pytest.fixture(scope="module")
def make_jobs(tmp_path_factory):
    """Jobs that differ in their settings; the usual ones are those of all tests here."""
    patch, made = pytest.MonkeyPatch(), {}
    patch.setenv("PYTHONPATH", f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}")

    def make(**settings):
        key = tuple(settings.items())
        if key not in made:
            made[key] = Jobs(tmp_path_factory.mktemp("jobs"), **settings)
        return made[key]

    yield make
    for jobs in made.values():
        jobs.close()
    patch.undo()


def start(jobs, work, key="a", **arguments):
    return jobs.start("p", "test", key, f"works:{work}", arguments, title=work)


def begun(tmp_path, jobs, key="a"):
    """Start a job that never ends; gives it, its two processes and its folder."""
    mark = tmp_path / f"mark-{key}"
    job = start(jobs, "last", key, mark=str(mark))
    wait_for(lambda: mark.exists() and mark.read_text().count(" ") == 2 and job.fraction > 0)
    one, other, scratch = mark.read_text().split()
    return job, [int(one), int(other)], Path(scratch)


def test_results_progress_and_loss(make_jobs):
    jobs, heard = make_jobs(), []
    job = jobs.once(
        "p", "test", "a", "works:add", {"one": 1, "other": 2}, title="add", then=lambda j: heard.append(j.result)
    )
    wait_for(lambda: job.is_over)
    assert (job.state, job.result, job.loss, heard) == (State.DONE, 3, 12.5, [3])
    again = jobs.once("p", "test", "a", "works:add", {"one": 5, "other": 5}, title="add")
    assert again is job, "the same key is the same work"
    assert jobs.get(job.id, "another project") is None


def test_refusals_are_told_and_faults_without_their_words(make_jobs):
    jobs = make_jobs()
    refused, failed = start(jobs, "refuse", "a"), start(jobs, "fail", "b")
    wait_for(lambda: refused.is_over and failed.is_over)
    assert (refused.state, refused.message) == (State.FAILED, "column 'age' is empty.")
    assert "ValueError at works.py" in failed.message
    assert "1954" not in failed.message


def test_cancel_leaves_nothing_behind(make_jobs, tmp_path):
    jobs = make_jobs()
    job, processes, scratch = begun(tmp_path, jobs)
    assert (scratch / "half").exists()
    jobs.cancel(job.id)
    assert job.state is State.CANCELLED
    wait_for(lambda: not scratch.exists() and not any(map(is_alive, processes)))
    after = start(jobs, "add", "b", one=1, other=1)
    wait_for(lambda: after.is_over)
    assert after.state is State.DONE, "the place is free for the next one"


def test_pause_stands_still_and_goes_on(make_jobs, tmp_path):
    jobs = make_jobs()
    job, _, _ = begun(tmp_path, jobs)
    jobs.pause(job.id)
    waiting = start(jobs, "add", "b", one=1, other=1)
    wait_for(lambda: waiting.is_over)  # a job that stands still takes no place
    time.sleep(0.1)
    still, seconds = job.notes["count"], job.seconds
    time.sleep(0.2)
    assert (job.notes["count"], job.seconds, job.state) == (still, seconds, State.PAUSED)
    jobs.resume(job.id)
    wait_for(lambda: job.notes["count"] > still)
    assert job.state is State.RUNNING
    jobs.pause(job.id)
    jobs.cancel(job.id)
    assert job.state is State.CANCELLED, "what stands still can be cancelled"


def test_few_run_at_a_time_and_not_for_ever(make_jobs, tmp_path):
    jobs = make_jobs(processes=1, waiting=2)
    job, _, _ = begun(tmp_path, jobs)
    others = [start(jobs, "add", key, one=1, other=1) for key in "bc"]
    assert [other.state for other in others] == [State.WAITING] * 2
    with pytest.raises(JobRefused):
        start(jobs, "add", "d", one=1, other=1)
    jobs.cancel(job.id)
    wait_for(lambda: all(other.state is State.DONE for other in others))
    timed = make_jobs(seconds=0.5)
    long = start(timed, "last", "long", mark=str(tmp_path / "mark-long"))
    process = long._process
    wait_for(lambda: long.is_over)
    assert (long.state, long.message) == (State.FAILED, "It took longer than 500 ms.")
    wait_for(lambda: not is_alive(process.pid))


def test_memory_has_a_limit(make_jobs):
    jobs = make_jobs(memory=4 << 30)
    job = start(jobs, "take", size=8 << 30)
    wait_for(lambda: job.is_over)
    assert job.state is State.FAILED
    assert "memory" in job.message


def test_a_killed_studio_takes_its_jobs_along(tmp_path):
    """Also one that stands still, which cannot notice anything by itself, and the spare one, which has no job."""
    marks = [tmp_path / "one", tmp_path / "two"]
    program = f"""
import time
from pathlib import Path
from microagg.studio.jobs import Jobs
jobs = Jobs(Path({str(tmp_path)!r}), processes=2)
made = [jobs.start("p", "test", mark, "works:last", {{"mark": mark}}, title="last") for mark in {[*map(str, marks)]}]
while not all(job.fraction for job in made) or jobs._spare is None: time.sleep(0.01)
jobs.pause(made[1].id)
print(jobs._spare.pid, flush=True)
time.sleep(600)
"""
    env = {**os.environ, "PYTHONPATH": f"{HERE}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"}
    studio = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, env=env)
    spare = int(studio.stdout.readline())
    workers = [spare, *(int(number) for mark in marks for number in mark.read_text().split()[:2])]
    assert all(map(is_alive, workers))
    studio.kill()
    studio.wait()
    studio.stdout.close()
    wait_for(lambda: not any(map(is_alive, workers)))

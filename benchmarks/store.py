"""How fast answers of a survey are checked and made durable, for each processor second and by the clock.

    python benchmarks/store.py --record
    python benchmarks/store.py --store postgresql://user@host/database --batch 500 --threads 4

Answers have six fields. The processor seconds are those of this process: a PostgreSQL server spends its own.
"""

from __future__ import annotations

import secrets
import tempfile
import threading
import time
from pathlib import Path

import click
import results
from rich.console import Console
from rich.table import Table

from microagg.survey import Definition, Field, Survey

FIELDS = [
    Field("age", "integer", least=0, most=120),
    Field("pay", "number", least=0),
    Field("sex", "category", choices=["f", "m"]),
    Field("born", "date"),
    Field("works", "boolean"),
    Field("height", "number"),
]


def answers(n):
    return [
        {
            "age": i % 90,
            "pay": 1.5 * i,
            "sex": "fm"[i % 2],
            "born": f"19{50 + i % 50}-05-01",
            "works": i % 3 == 0,
            "height": 150 + i / 7,
        }
        for i in range(n)
    ]


def measure(work, n):
    """Answers for each processor second and for each second by the clock."""
    clock, processor = time.perf_counter(), time.process_time()
    work()
    return n / (time.process_time() - processor), n / (time.perf_counter() - clock)


@click.command()
@click.option("--store", help="A file or postgresql://...; a temporary file by default.")
@click.option("--batch", default=500, show_default=True)
@click.option("--batches", default=100, show_default=True)
@click.option("--threads", default=1, show_default=True, help="How many threads add at a time.")
@click.option("--record", is_flag=True, help="Put the figures into results.csv and write the tables of the docs anew.")
def main(store, batch, batches, threads, record):
    """Measure and print."""
    definition = Definition(f"bench-{secrets.token_hex(4)}", 5, FIELDS)
    sent, n = answers(batch), batch * batches
    with tempfile.TemporaryDirectory() as folder:
        survey = Survey.create(store or str(Path(folder, "surveys.db")), definition)

        def add(records, times):
            for _ in range(times):
                survey.add(records)

        def together(records, times):
            workers = [threading.Thread(target=add, args=(records, times // threads)) for _ in range(threads)]
            for worker in workers:
                worker.start()
            for worker in workers:
                worker.join()

        table = Table("what", "per processor second", "per second", title=f"batches of {batch}, threads: {threads}")
        figures = {
            "check alone": measure(lambda: [definition.check(sent) for _ in range(batches)], n),
            "add, batches": measure(lambda: together(sent, batches), n),
            "add, one at a time": measure(lambda: together(sent[:1], 200), 200),
        }
        for what, (processor, clock) in figures.items():
            table.add_row(what, f"{processor:,.0f}", f"{clock:,.0f}")
        survey.disconnect()
    Console().print(table)
    if record:
        kind = "postgresql" if str(store).startswith("postgres") else "sqlite"
        shown = {"checked": "check alone", "checked, and durable in the store": "add, batches"}
        results.record_all(
            "store.py",
            {(f"store: {what}, answers", kind, 5): f"{figures[name][0]:,.0f}" for what, name in shown.items()},
        )


if __name__ == "__main__":
    main()

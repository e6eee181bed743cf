"""How many answers a second the survey service takes, how long a sender waits, and whether its memory stays flat.

    python benchmarks/service.py                      # single answers into SQLite, ten seconds
    python benchmarks/service.py --batch 500 --seconds 60
    python benchmarks/service.py --store postgres --seconds 60    # a PostgreSQL server of its own
    python benchmarks/service.py --store postgresql://localhost/surveys
    python benchmarks/service.py --kills 50           # kill -9 of the server while clients send, and count afterwards

Starts `microagg survey serve` as a process of its own and client processes that send as fast as receipts arrive, each
over one connection that stays open. At the end the store is asked for its number of answers, which must be the number
that was acknowledged. CPU is that of the server alone: on a machine where clients and server share the cores, it tells
more than the rate does.
"""

from __future__ import annotations

import contextlib
import itertools
import json
import multiprocessing
import os
import random
import signal
import socket
import subprocess
import sys
import tempfile
import time
from pathlib import Path

import click
import numpy as np
import psutil
from results import record_all

from microagg.survey import Definition, Field, Survey

DEFINITION = {
    "age": Field("age", "integer", least=0, most=120),
    "income": Field("income", "number", least=0),
    "city": Field("city", "category", choices=("Turin", "Graz", "Lyon", "Porto")),
    "children": Field("children", "integer", least=0),
    "smoker": Field("smoker", "boolean", role="other"),
    "diagnosis": Field("diagnosis", "category", role="confidential"),
}
WARM_UP = 0.2
"""Share of the time after which memory must not grow any more."""


class Server:
    """The service as a process, and how much of the machine it uses."""

    def __init__(self, store, folder):
        self.store, self.folder = store, Path(folder)
        self.start()

    def start(self):
        arguments = ["survey", "serve", "--store", self.store, "--port", "0", "--token-file", self.folder / "token"]
        self.process = subprocess.Popen(
            [sys.executable, "-m", "microagg", *map(str, arguments), "--rate", "1e9", "--no-schedule"],
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            text=True,
        )
        self.port = int(self.process.stdout.readline().strip().rstrip("/").rpartition(":")[2])
        self.token = (self.folder / "token").read_text().strip()
        self.watch = psutil.Process(self.process.pid)

    def cpu(self):
        times = self.watch.cpu_times()
        return times.user + times.system

    def memory(self):
        return self.watch.memory_info().rss / 2**20

    def stop(self):
        self.process.send_signal(signal.SIGTERM)
        return self.process.wait()


class Client:
    """One connection, requests written by hand: a client that takes as little of the machine as it can."""

    def __init__(self, port, token):
        self.port, self.token = port, token
        self.socket = None

    def post(self, body, key=None):
        """Send a body; gives the status and the content of the response."""
        if self.socket is None:
            self.socket = socket.create_connection(("127.0.0.1", self.port))
            self.socket.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        key_header = f"Idempotency-Key: {key}\r\n" if key else ""
        head = (
            f"POST /surveys/bench/answers HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {self.token}\r\n"
            f"Content-Type: application/json\r\n{key_header}Content-Length: {len(body)}\r\n\r\n"
        )
        self.socket.sendall(head.encode() + body)
        received = b""
        while b"\r\n\r\n" not in received:
            received += self._more()
        head, _, content = received.partition(b"\r\n\r\n")
        length = int(head.lower().partition(b"content-length:")[2].split(b"\r\n", 1)[0])
        while len(content) < length:
            content += self._more()
        return int(head[9:12]), content

    def _more(self):
        got = self.socket.recv(65536)
        if not got:
            raise ConnectionError
        return got

    def forget(self):
        if self.socket is not None:
            self.socket.close()
        self.socket = None


def answers(n, seed):
    chance = random.Random(seed)
    return [
        {
            "age": chance.randint(18, 99),
            "income": round(chance.lognormvariate(7.5, 0.6), 2),
            "city": chance.choice(DEFINITION["city"].choices),
            "children": chance.randint(0, 4),
            "smoker": chance.random() < 0.2,
            "diagnosis": chance.choice(["none", "asthma", "diabetes"]),
        }
        for _ in range(n)
    ]


def send(number, port, token, batch, seconds, results):
    """Send until the time is over; report how many were acknowledged, and how long each request took."""
    client = Client(port, token)
    bodies = [json.dumps(answer).encode() for answer in answers(64, number)]
    batches = [json.dumps({"answers": answers(batch, seed)})[:-1].encode() for seed in range(4)] if batch else []
    acknowledged, times = 0, []
    begin = time.perf_counter()
    for count in itertools.count():
        now = time.perf_counter()
        if now - begin > seconds:
            break
        if batch:
            keys = ",".join([f'"{number}-{count}-{i}"' for i in range(batch)])
            status, content = client.post(b'%s,"keys":[%s]}' % (batches[count % 4], keys.encode()))
        else:
            status, content = client.post(bodies[count % 64], f"{number}-{count}")
        times.append(time.perf_counter() - now)
        if status != 201:
            raise RuntimeError(f"{status}: {content.decode()}")
        receipt = json.loads(content)
        acknowledged += receipt["accepted"]
    results.put((acknowledged, np.array(times)))


def measure(store, folder, clients, batch, seconds):
    server = Server(store, folder)
    results = multiprocessing.Queue()
    senders = [
        multiprocessing.Process(target=send, args=(i, server.port, server.token, batch, seconds, results))
        for i in range(clients)
    ]
    begin, cpu = time.perf_counter(), server.cpu()
    for sender in senders:
        sender.start()
    time.sleep(WARM_UP * seconds)
    warm = server.memory()
    time.sleep(max(0.0, 0.95 * seconds - (time.perf_counter() - begin)))
    end = server.memory()
    gathered = [results.get() for _ in senders]
    wall, cpu = time.perf_counter() - begin, server.cpu() - cpu
    for sender in senders:
        sender.join()
    server.stop()
    acknowledged = sum(count for count, _ in gathered)
    times = np.concatenate([t for _, t in gathered]) * 1000
    kept = Survey.open(store, "bench").status().received
    print(f"{'batches of ' + str(batch) if batch else 'single answers'}, {clients} clients, {wall:.1f} s")
    print(f"  rate         {acknowledged / wall:10,.0f} answers a second")
    half, nearly_all = np.percentile(times, [50, 99])
    print(f"  p50 / p99    {half:.1f} / {nearly_all:.1f} ms, the longest {times.max():.1f} ms")
    print(f"  server CPU   {cpu / acknowledged * 1e6:10.1f} us an answer, {cpu / wall:.0%} of a core")
    print(f"  memory       {warm:.1f} MB after warm-up, {end:.1f} MB at the end")
    print(f"  acknowledged {acknowledged:,}, in the store {kept:,}")
    figures = {
        "answers a second": f"{acknowledged / wall:,.0f}",
        "p50 ms": f"{half:.1f}",
        "p99 ms": f"{nearly_all:.1f}",
        "CPU us": f"{cpu / acknowledged * 1e6:.3g}",
        "warm MB": f"{warm:.1f}",
        "end MB": f"{end:.1f}",
    }
    return kept == acknowledged, figures


def send_through_kills(number, ports, token, n, results):
    """Send n answers with keys of their own, each until it is acknowledged, whatever happens to the server."""
    client = Client(ports.value, token)
    bodies = [json.dumps(answer).encode() for answer in answers(64, number)]
    retries = 0
    for count in range(n):
        while True:
            try:
                client.port = ports.value
                status, _ = client.post(bodies[count % 64], f"{number}-{count}")
                if status == 201:
                    break
            except OSError:
                client.forget()
            retries += 1
            time.sleep(0.01)
    results.put(retries)


def kill(store, folder, clients, kills, seed):
    """Kill the server at random moments while clients send; whoever got no receipt sends again with the same key."""
    chance = random.Random(seed)
    server = Server(store, folder)
    ports, results, n = multiprocessing.Value("i", server.port), multiprocessing.Queue(), 100 * kills
    senders = [
        multiprocessing.Process(target=send_through_kills, args=(i, ports, server.token, n, results))
        for i in range(clients)
    ]
    for sender in senders:
        sender.start()
    done = 0
    while done < kills and any(sender.is_alive() for sender in senders):
        time.sleep(chance.uniform(0.01, 0.3))
        os.kill(server.process.pid, signal.SIGKILL)
        server.process.wait()
        done += 1
        server.start()
        ports.value = server.port
    retries = sum(results.get() for _ in senders)
    server.stop()
    kept = Survey.open(store, "bench").status().received
    print(f"{done} kills, {retries} retries; acknowledged {n * clients:,}, in the store {kept:,}")
    return kept == n * clients


@click.command(help=__doc__.partition("\n")[0])
@click.option(
    "--store", help="A path, postgresql://... or postgres for a server of its own; a temporary file by default."
)
@click.option("--seconds", default=10.0, show_default=True)
@click.option("--batch", default=0, show_default=True, help="Answers of one request; 0 for single answers.")
@click.option("--clients", default=8, show_default=True)
@click.option("--kills", default=0, help="Kill the server so many times instead of measuring.")
@click.option("--seed", default=0, show_default=True)
@click.option("--record", is_flag=True, help="Put the figures into results.csv and write the tables of the docs anew.")
def main(store, seconds, batch, clients, kills, seed, record):
    with tempfile.TemporaryDirectory() as folder, contextlib.ExitStack() as stack:
        store = store or f"{folder}/surveys.db"
        if store == "postgres":
            sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "survey"))
            from servers import Server as Postgres

            postgres = Postgres()
            stack.callback(postgres.remove)
            store = postgres.new_database()
        Survey.create(store, Definition("bench", 5, list(DEFINITION.values())))
        if kills:
            good = kill(store, folder, clients, kills, seed)
        else:
            good, measured = measure(store, folder, clients, batch, seconds)
            if record and good:
                kind = "postgresql" if store.startswith("postgresql") else "sqlite"
                what = f"batches of {batch}" if batch else "single answers"
                figures = {(f"service: {what}, {name}", kind, 5): shown for name, shown in measured.items()}
                record_all("service.py", figures, f", {clients} clients, {seconds:g} s")
    sys.exit(0 if good else 1)


if __name__ == "__main__":
    main()

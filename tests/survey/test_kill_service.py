"""kill -9 of the server at random moments: what was acknowledged is in the store exactly once, and nothing is twice.

The server is forked from a process that has everything imported, so that it is up again within a fraction of a second;
it is killed as a whole, in the middle of whatever it does.
"""

from __future__ import annotations

import http.client
import json
import multiprocessing
import os
import signal
import threading
import time

import numpy as np
import pytest
from answers import assert_released, records, small

from microagg.survey import Survey

pytest.importorskip("uvicorn", reason="FastAPI and uvicorn are not installed")

TOKEN = "operator-" + "x" * 20
KILLS, CLIENTS, BATCH = 50, 4, 7


def run_server(url, listener):
    from microagg.survey.server import make_server
    from microagg.survey.service import create_app

    make_server(create_app(url, TOKEN, schedule=False)).run(sockets=[listener])


class Senders:
    """Clients that send until they are told to stop, each answer again and again until it is acknowledged."""

    def __init__(self, port):
        self.port = port
        self.stop = threading.Event()
        self.acknowledged = [0] * CLIENTS
        self.retries = 0
        self.threads = [threading.Thread(target=self.send, args=(number,)) for number in range(CLIENTS)]

    def send(self, number):
        connection = None
        while not self.stop.is_set():
            content, headers = self.next(number)
            while True:
                try:
                    if connection is None:
                        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=30)
                    connection.request("POST", "/surveys/small/answers", content, headers)
                    response = connection.getresponse()
                    receipt = json.loads(response.read())
                    assert response.status == 201, receipt
                    assert receipt["accepted"] + receipt["repeated"] == (1 if number % 2 else BATCH)
                    break
                except (OSError, http.client.HTTPException):
                    connection.close()
                    connection = None
                    self.retries += 1
            self.acknowledged[number] += 1 if number % 2 else BATCH
        connection.close()

    def next(self, number):
        """The next answers of a client: half of them send single answers, the others batches."""
        headers = {"Authorization": f"Bearer {TOKEN}", "Content-Type": "application/json"}
        begin = self.acknowledged[number]
        # What an answer is called in the release tells whose it is.
        numbers = [CLIENTS * i + number for i in range(begin, begin + (1 if number % 2 else BATCH))]
        answers = [records(1, i)[0] for i in numbers]
        keys = [f"key-{i}" for i in numbers]
        if number % 2:
            return json.dumps(answers[0]), headers | {"Idempotency-Key": keys[0]}
        return json.dumps({"answers": answers, "keys": keys}), headers


def test_every_acknowledged_answer_survives(url, tmp_path):
    from microagg.survey.server import listen

    chance = np.random.default_rng(7)
    Survey.create(url, small()).disconnect()
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["microagg.survey.service", "uvicorn", "uvicorn.lifespan.on"])
    # The test holds the port, so that those who send meanwhile wait instead of being refused.
    with listen("127.0.0.1", 0) as listener:
        senders = Senders(listener.getsockname()[1])
        killed = 0
        try:
            for thread in senders.threads:
                thread.start()
            while killed < KILLS:
                process = context.Process(target=run_server, args=(url, listener))
                process.start()
                before = sum(senders.acknowledged)
                while killed % 5 and sum(senders.acknowledged) == before:
                    assert process.is_alive()
                    time.sleep(0.001)
                time.sleep(chance.uniform(0.0, 0.05))
                os.kill(process.pid, signal.SIGKILL)
                process.join()
                killed += 1
            process = context.Process(target=run_server, args=(url, listener))
            process.start()
        finally:
            senders.stop.set()
            for thread in senders.threads:
                thread.join()
            process.terminate()
            process.join()
    assert senders.retries >= KILLS // 2, "the kills hit somebody"
    expected = [CLIENTS * i + number for number, count in enumerate(senders.acknowledged) for i in range(count)]
    assert len(expected) >= KILLS
    with Survey.open(url, "small") as survey:
        assert survey.status().received == len(expected)
        survey.close()
        assert_released(survey.release(tmp_path / "released.csv").content, expected)

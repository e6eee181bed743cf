"""The service as it runs: a real server on a free port of this machine, in a thread of the test."""

from __future__ import annotations

import threading
import time

import httpx

from microagg.survey.server import listen, make_server


class Running:
    """A server that runs while the block does; `client` speaks to it with the token."""

    def __init__(self, app, token):
        self.app = app
        listener = listen("127.0.0.1", 0)
        self.port = listener.getsockname()[1]
        self.address = f"http://127.0.0.1:{self.port}"
        self.client = httpx.Client(
            base_url=self.address, headers={"Authorization": f"Bearer {token}"}, timeout=60, trust_env=False
        )
        self._server = make_server(app)
        self._thread = threading.Thread(target=self._server.run, args=([listener],))

    def __enter__(self):
        self._thread.start()
        while not self._server.started:
            assert self._thread.is_alive(), "the server did not start"
            time.sleep(0.005)
        return self

    def stop(self):
        """Tell the server to stop, as SIGTERM does."""
        self._server.should_exit = True

    def join(self):
        """Wait until it has stopped."""
        self._thread.join()

    def __exit__(self, *_):
        self.stop()
        self.join()
        self.client.close()

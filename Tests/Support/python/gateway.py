"""Starts a gateway like a user, and sends HTTP requests to it."""

from __future__ import annotations

import functools
import json
import os
import re
import selectors
import signal
import ssl
import subprocess
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from http1 import HTTPConnection, Response, request_bytes

REPOSITORY = Path(__file__).resolve().parents[3]
START_SECONDS = 20.0


def binary() -> str:
    """Returns the gateway under test: DRAWTOGETHER_BIN, else the release build of this package."""
    if named := os.environ.get("DRAWTOGETHER_BIN"):
        return named
    shown = subprocess.run(
        ["swift", "build", "-c", "release", "--show-bin-path"],
        cwd=REPOSITORY, check=True, capture_output=True, text=True,
    )  # fmt: skip
    return shown.stdout.strip() + "/drawtogether"


@functools.cache
def has_sanitizer() -> bool:
    """Returns true if the gateway under test is built with a sanitizer."""
    return contains(b"__asan_init") or has_thread_sanitizer()


def has_thread_sanitizer() -> bool:
    """Returns true if that is the thread sanitizer, which ends the gateway if it cannot write half a mebibyte to a file at the
    start."""
    return contains(b"__tsan_init")


def brief_seconds() -> int:
    """Returns a short limit in seconds, for a test that waits until a limit of the gateway is exceeded. The earlier steps of
    the test must not take as long, even on a busy machine."""
    return 10 if has_sanitizer() else 3


@functools.cache
def contains(symbol: bytes) -> bool:
    """Returns true if the gateway under test has a symbol."""
    program = Path(binary())
    return program.is_file() and symbol in program.read_bytes()


def flag(limit: str) -> str:
    """Returns the flag of a limit in section 5: `messageBytes` is `--max-message-bytes`. A time or a minimum has no `max`."""
    dashed = re.sub("([A-Z])", r"-\1", limit).lower()
    is_minimum = limit.startswith("minimum") or limit == "diskReserveBytes"
    return f"--{dashed}" if limit.endswith("Seconds") or is_minimum else f"--max-{dashed}"


def trusting() -> ssl.SSLContext:
    """Returns a TLS client context that trusts the gateway's own certificate."""
    context = ssl.create_default_context()
    context.check_hostname = False
    context.verify_mode = ssl.CERT_NONE
    return context


class Gateway:
    """One running gateway on free ports of loopback."""

    _ending: subprocess.Popen[bytes] | None = None
    """The process that got SIGTERM."""

    def __init__(
        self, executable: str, folder: Path, *arguments: str, public: Path | None = None, **limits: int
    ) -> None:
        self.folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self.arguments = [
            "--log-format", "json", "--data", str(folder / "data"),
            "--public", str(public or REPOSITORY / "Public"), *arguments,
        ]  # fmt: skip
        for listener in ("--http", "--https"):
            if listener not in arguments:
                self.arguments += [listener, "127.0.0.1:0"]
        limits = {"sessionsPerAddressPerMinute": 1_000_000} | limits
        for name, value in limits.items():
            self.arguments += [flag(name), str(value)]
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")}
        with open(folder / "stderr", "wb") as log:
            self.process = subprocess.Popen(
                [executable, *self.arguments], stdout=subprocess.PIPE, stderr=log, env=environment
            )
        self.ready = self._wait_until_ready()
        self.http = self._address(self.ready["http"])
        # Off behind a proxy that terminates TLS.
        self.https = self._address(self.ready["https"]) if self.ready["https"] else ("", 0)
        self.tls = trusting()

    @property
    def host(self) -> str:
        return f"{self.http[0]}:{self.http[1]}"

    @property
    def log(self) -> str:
        return (self.folder / "stderr").read_text(errors="replace")

    def socket_url(self, session: str, tls: bool = False) -> str:
        scheme, (host, port) = ("wss", self.https) if tls else ("ws", self.http)
        return f"{scheme}://{host}:{port}/api/sessions/{session}/socket"

    async def connect(self, tls: bool = False) -> HTTPConnection:
        return await HTTPConnection.open(*((self.https, self.tls) if tls else (self.http,)))

    async def request(
        self, method: str, target: str, fields: Mapping[str, str] | None = None, body: bytes | None = None
    ) -> Response:
        """Sends one request on its own connection."""
        async with await self.connect() as connection:
            await connection.send(request_bytes(method, target, self.host, dict(fields or {}), body))
            return await connection.receive(head=method == "HEAD")

    async def get(self, target: str, **fields: str) -> Response:
        return await self.request("GET", target, {k.replace("_", "-"): v for k, v in fields.items()})

    async def post(self, target: str, body: Any = None, **fields: str) -> Response:
        data = b"" if body is None else json.dumps(body).encode()
        named = {k.replace("_", "-"): v for k, v in fields.items()}
        if body is not None:
            named.setdefault("Content-Type", "application/json")
        return await self.request("POST", target, named, data)

    async def create_session(self, activity: dict[str, Any] | None = None) -> str:
        """Creates a session with an activity, and returns its id."""
        response = await self.post("/api/sessions", None if activity is None else {"activity": activity})
        assert response.status == 201, response
        return response.json()["id"]

    async def session(self, session: str) -> dict[str, Any]:
        response = await self.get(f"/api/sessions/{session}")
        assert response.status == 200, response
        return response.json()

    async def metrics(self) -> dict[str, float]:
        """Returns every sample of /metrics by its name with labels."""
        response = await self.get("/metrics")
        assert response.status == 200, response
        samples = (line.rsplit(" ", 1) for line in response.text.splitlines() if line and line[0] != "#")
        return {name: float(value) for name, value in samples}

    async def metric(self, name: str) -> float:
        """Returns the sum of a metric's samples over its labels."""
        samples = await self.metrics()
        found = [value for key, value in samples.items() if key.split("{")[0] == name]
        assert found, f"{name} is not in {sorted(samples)}"
        return sum(found)

    def terminate(self, timeout: float = 10) -> int:
        """Sends SIGTERM and returns the exit code. Kills a process that does not exit, and fails."""
        self.begin_to_terminate()
        return self.wait(timeout)

    def begin_to_terminate(self) -> None:
        """Sends SIGTERM, only once: a second one would end the process at once."""
        if self.process.poll() is None and self.process is not self._ending:
            self._ending = self.process
            self.process.send_signal(signal.SIGTERM)

    def wait(self, timeout: float = 10) -> int:
        try:
            return self.process.wait(timeout)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the gateway was still there after {timeout} s") from None
        finally:
            if self.process.stdout:
                self.process.stdout.close()

    def _wait_until_ready(self) -> dict[str, Any]:
        assert self.process.stdout is not None
        deadline = time.monotonic() + START_SECONDS
        collected = b""
        with selectors.DefaultSelector() as selector:
            selector.register(self.process.stdout, selectors.EVENT_READ)
            while (left := deadline - time.monotonic()) > 0:
                if not selector.select(left):
                    continue
                piece = os.read(self.process.stdout.fileno(), 65_536)
                collected += piece
                for line in collected.splitlines():
                    if line.startswith(b"{") and line.endswith(b"}"):
                        event = json.loads(line)
                        if event.get("event") == "ready":
                            return event
                if not piece:
                    break
        self.process.kill()
        self.wait()
        raise AssertionError(f"no ready line on standard output: {collected!r}; log: {self.log[-2000:]}")

    @staticmethod
    def _address(url: str) -> tuple[str, int]:
        parts = urlsplit(url)
        assert parts.hostname and parts.port, url
        return parts.hostname, parts.port


class OverTLS(Gateway):
    """A running gateway that is accessed over TLS."""

    def __init__(self, gateway: Gateway) -> None:
        self.__dict__.update(gateway.__dict__)

    @property
    def host(self) -> str:
        return f"localhost:{self.https[1]}"

    async def connect(self, tls: bool = True) -> HTTPConnection:
        return await super().connect(tls=True)

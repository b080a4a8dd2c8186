"""One budget for all memory: together, all growing resources fit into it, even in the smallest container."""

from __future__ import annotations

import asyncio
import collections
import contextlib
import json
import re
import selectors
import socket
import ssl
import struct
import time
from pathlib import Path

import pytest

from client import Client
from command import run
from controlgroup import control_group, peak_bytes
from gateway import REPOSITORY, Gateway, has_sanitizer
from hostile import MEBIBYTE, many, plain_socket
from http1 import request_bytes
from polling import until
from rawsocket import BINARY, TEXT, frame, upgrade_fields
from room import Room, append
from wire import APPEND, RELIABLE, Outgoing

pytestmark = pytest.mark.alone

PAGE = ("--public", str(REPOSITORY / "Public"))
WRITERS, MESSAGES, HEADS = 12, 255, 9_000


def size(text: str) -> int:
    """Returns a size in the output of --check-config in bytes."""
    units = {"K": 10, "M": 20, "G": 30, "T": 40}
    return int(text[:-1]) << units[text[-1]] if text[-1] in units else int(text)


def checked(executable: str, folder: Path, *arguments: str) -> dict[str, tuple[str, str]]:
    """Returns each flag's value and origin."""
    done = run(executable, "--check-config", *PAGE, "--data", str(folder / "data"), *arguments)
    assert done.returncode == 0 and not done.stderr, done
    settings, shares = done.stdout.split("\n\n")
    assert shares.startswith("share of --memory")
    return {flag: (value, source) for flag, value, source in (line.split() for line in settings.splitlines())}


def test_the_budget_is_three_quarters_of_the_control_groups_limit(executable: str, tmp_path: Path) -> None:
    limit = 512 * MEBIBYTE
    with control_group(limit) as group:
        if group:
            program, arguments = group.program(executable, tmp_path), []
        else:
            program, arguments = executable, ["--memory", str(limit // 4 * 3)]
        rows = checked(program, tmp_path, *arguments)
    assert rows["--memory"] == ("384M", "machine" if group else "flag")
    for name in ("memory", "session-log", "incomplete", "unsaved"):
        value, source = rows[f"--max-{name}-bytes"]
        assert source == "memory" and 0 < size(value) < 256 * MEBIBYTE
    assert rows["--max-message-bytes"] == ("256K", "default")


def test_settings_over_the_budget_are_refused_with_numbers(executable: str, tmp_path: Path) -> None:
    arguments = ["--memory", "384M", "--max-memory-bytes", "512M", "--data", str(tmp_path / "data"), *PAGE]
    for more in ([], ["--check-config"]):
        done = run(executable, *arguments, *more)
        assert done.returncode == 2
        assert "--memory is 384M" in done.stderr and "--max-memory-bytes 512M may need 960M" in done.stderr
    assert not (tmp_path / "data").exists()


async def told(gateway: Gateway) -> dict[str, float] | None:
    """Returns the metrics; None while the gateway refuses new connections."""
    with contextlib.suppress(TimeoutError, OSError, EOFError, AssertionError):
        return await gateway.metrics()
    return None


class Writer:
    """A participant that fills a session, with large entries, or with small ones under new keys. It obeys refusals."""

    REFUSAL = re.compile(rb'\{"error":\{"code":"([a-z-]+)"[^}]*\}\}')

    def __init__(self, gateway: Gateway, session: str, is_large: bool) -> None:
        head = request_bytes("GET", f"/api/sessions/{session}/socket", gateway.host, upgrade_fields())
        self.socket = plain_socket(gateway, head + frame(TEXT, b'{"join": {}}'))
        self.socket.setblocking(False)
        self.payload = bytes(200_000) if is_large else b"x" * 40
        self.entries_per_message = 1 if is_large else 50
        self.next = 1
        self.unsent = b""
        self.received = b""
        self.paused_until = 0.0
        self.refusals: collections.Counter[str] = collections.Counter()
        self.is_closed = False

    def write(self) -> None:
        """Writes as much as the socket accepts. A partly written message is always completed."""
        if not self.unsent:
            if time.monotonic() < self.paused_until:
                return
            numbers = range(self.next, self.next + self.entries_per_message)
            self.unsent = frame(
                BINARY, b"".join(
                    Outgoing("Mark", self.payload, RELIABLE | APPEND, n.to_bytes(16, "big")).encoded(n) for n in numbers
                ))  # fmt: skip
            self.next = numbers.stop
        self.unsent = self.unsent[self.socket.send(self.unsent) :]

    def read(self) -> None:
        """Reads the received bytes. After a refusal, waits and sends again from the refused entry."""
        if not (came := self.socket.recv(1 << 20)):
            raise ConnectionError("closed by the gateway")
        self.received += came
        end = 0
        for refusal in self.REFUSAL.finditer(self.received):
            end = refusal.end()
            error = json.loads(refusal[0])["error"]
            self.refusals[error["code"]] += 1
            self.next = error.get("expected") or error["clientSequence"]
            self.paused_until = time.monotonic() + error.get("retryAfterMs", 0) / 1000
        # A refusal may have arrived partly.
        self.received = self.received[max(end, len(self.received) - 500) :]


def fill(writers: list[Writer], gateway: Gateway, seconds: float) -> None:
    """Lets all write at full speed for a time, so that their sessions reach the limit."""
    deadline = time.monotonic() + seconds
    with selectors.DefaultSelector() as selector:
        for writer in writers:
            if not writer.is_closed:
                selector.register(writer.socket, selectors.EVENT_READ | selectors.EVENT_WRITE, writer)
        while time.monotonic() < deadline and selector.get_map() and gateway.process.poll() is None:
            for key, events in selector.select(0.1):
                writer = key.data
                try:
                    if events & selectors.EVENT_READ:
                        writer.read()
                    if events & selectors.EVENT_WRITE:
                        writer.write()
                except BlockingIOError:
                    pass
                except OSError:
                    writer.is_closed = True
                    selector.unregister(writer.socket)


def attack(gateway: Gateway, session: str, held: list[socket.socket], tls: bool) -> None:
    """Uses every resource up to its own limit."""

    def connected(data: bytes) -> None:
        with contextlib.suppress(OSError, ssl.SSLError):
            opened = plain_socket(gateway, tls=tls)
            held.append(opened)
            opened.settimeout(10)
            if tls:
                opened = gateway.tls.wrap_socket(opened)
                held[-1] = opened
            opened.sendall(data)

    upgrade = request_bytes("GET", f"/api/sessions/{session}/socket", gateway.host, upgrade_fields())
    message = frame(BINARY, struct.pack(">I", MEBIBYTE - 64) + bytes(MEBIBYTE - 68))[:-1]
    for _ in range(MESSAGES):
        connected(upgrade + frame(TEXT, b'{"join": {}}') + message)
    field = b"x" * 15_000
    head = b"GET / HTTP/1.1\r\nHost: a\r\nA: " + field + b"\r\nB: " + field + b"\r\nC: " + b"x" * 2_400
    for _ in range(HEADS):
        if gateway.process.poll() is not None:
            return
        connected(head)


async def draw_on(ada: Client, ben: Client, work: asyncio.Task[None]) -> list[float]:
    """Lets Ada draw and Ben receive until the work is done, and once after that. Returns the sorted latencies in seconds."""
    times: list[float] = []
    is_over = False
    while not is_over:
        is_over = work.done()
        begun = time.monotonic()
        number = len(ben.received)
        ada.send(append(number, f"stroke {number}"))
        await ben.got(b"stroke %d" % number)
        times.append(time.monotonic() - begun)
        await asyncio.wait([work], timeout=0.05)
    await work
    return sorted(times)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    if "limit" in metafunc.fixturenames:
        full = [(1024, False), (512, True), (1024, True)] if metafunc.config.getoption("--full") else []
        metafunc.parametrize(("limit", "tls"), [(512, False), *full])


@pytest.mark.seconds(240)
async def test_all_limits_reached_at_once_fit_into_a_small_container(
    executable: str, tmp_path: Path, limit: int, tls: bool
) -> None:
    """The gateway is not killed, and two participants can draw. Without control groups the peak is measured instead."""
    with control_group(limit * MEBIBYTE) as group:
        program = group.program(executable, tmp_path) if group and not has_sanitizer() else executable
        arguments = [] if program != executable else ["--memory", str(limit * MEBIBYTE // 4 * 3)]
        gateway = Gateway(program, tmp_path, *arguments, headSeconds=120, messageSeconds=120)
        try:
            async with Room(gateway) as room:
                ada, ben = await room.join("Ada"), await room.join("Ben")
                sessions = [await gateway.create_session() for _ in range(WRITERS + 1)]
                writers = [Writer(gateway, session, is_large=number % 2 == 1) for number, session in enumerate(sessions[1:])]
                with many() as held:
                    for name, work in (
                        ("writers", lambda: fill(writers, gateway, 8)),
                        ("attack", lambda: attack(gateway, sessions[0], held, tls)),
                        ("writers", lambda: fill(writers, gateway, 4)),
                    ):
                        times = await draw_on(ada, ben, asyncio.create_task(asyncio.to_thread(work)))
                        assert gateway.process.poll() is None, "it was killed"
                        p50, p99 = (times[len(times) * percent // 100] * 1000 for percent in (50, 99))
                        print(f"{name}: {len(times)} entries of the pair, p50 {p50:.1f} ms, p99 {p99:.1f} ms")
                    peak = peak_bytes(gateway.process.pid)
                    print(f"{limit} MiB: peak {peak >> 20} MiB, of the group {group and group.peak >> 20}; {len(held)} sockets")
                    print([(dict(writer.refusals), writer.is_closed) for writer in writers])
                # Thousands of connections still wait in the listener's queue.
                metrics = await until(lambda: told(gateway), "the metrics", 120, every=0.5)
                assert metrics["drawtogether_log_bytes"] > metrics["drawtogether_log_limit_bytes"] * 3 / 4
                assert ada.close is None and ben.close is None and not ada.errors
            for writer in writers:
                writer.socket.close()
            if group:
                assert group.kills == 0
            if not has_sanitizer():
                assert peak <= limit * MEBIBYTE // 4 * 3
            assert gateway.terminate() == 0
        finally:
            if gateway.process.poll() is None:
                gateway.process.kill()
                gateway.wait()

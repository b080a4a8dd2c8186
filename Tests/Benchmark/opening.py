#!/usr/bin/env python3
"""Measures the loading of a large session from the disk, after a clean stop and after kill -9.

    Tests/Benchmark/opening.py [--entries 1000000] [--bytes 100] GATEWAY_BINARY

Fills one session with retained entries, each with its own key, and waits until all are committed. Then it starts a new
gateway with that folder and measures its memory before and after the session is loaded, the time from a joiner's first byte
until it is caught up, and the same for a second joiner, with the bytes that the gateway reads for it. `rchar` counts the bytes
of read calls, from the page cache and the disk, but not those from sockets: it must not grow with the log. Meanwhile two
participants of another session on the same reactor exchange entries, about one each millisecond: the longest times are printed
for the filling and for each first join. The gateway runs with `--flush-interval 0`, so these times contain no pacing.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import signal
import socket
import struct
import sys
import tempfile
import time
from pathlib import Path

from subject import Subject, binary_header, connect, fill, join

PATIENCE = 120.0


def read_all(port: int, session: str) -> tuple[float, float, int]:
    """Joins, and returns the seconds until the catch-up began and until it was complete, and its bytes."""
    begun = time.monotonic()
    opened, received = connect(port, session, "Reader")
    first = 0.0
    count = len(received)
    tail = received
    while b'{"caughtUp"' not in tail:
        piece = opened.recv(1 << 20)
        if not piece:
            raise SystemExit("the gateway closed a reader's socket")
        count += len(piece)
        if not first and b'{"catchUp"' in tail + piece[:4096]:
            first = time.monotonic() - begun
        tail = tail[-64:] + piece
    took = time.monotonic() - begun
    opened.close()
    return first, took, count


class Pair:
    """Two participants of a session of their own, in another process: one sends, and the time until the other has it counts."""

    def __init__(self, gateway: Subject):
        # Set after a hundred exchanges, so that the first ones, which are slow, are over.
        self.begun = multiprocessing.Event()
        self.ends = multiprocessing.Event()
        self.times: multiprocessing.Queue[list[float]] = multiprocessing.Queue()
        session = gateway.create_session()
        self.process = multiprocessing.Process(target=self.exchange, args=(gateway.port, session))
        self.process.start()

    def exchange(self, port: int, session: str) -> None:
        sender, _ = join(port, session, "Sender")
        receiver, _ = join(port, session, "Receiver")
        took = []
        number = 0
        while not self.ends.is_set():
            number += 1
            mark = struct.pack(">Q", number)
            body = struct.pack(">IBBI", 6 + 1 + len(mark), 0x01, 1, number) + b"P" + mark
            begun = time.monotonic()
            sender.sendall(binary_header(len(body)) + body)
            received = b""
            while mark not in received:
                piece = receiver.recv(65_536)
                if not piece:
                    raise SystemExit("the gateway closed a receiver's socket")
                received = received[-len(mark) :] + piece
            took.append(time.monotonic() - begun)
            sender.recv(65_536)
            if number == 100:
                took.clear()
                self.begun.set()
            time.sleep(0.001)
        self.times.put(took)

    def end(self) -> str:
        """Ends the exchange, and describes its times."""
        self.ends.set()
        took = sorted(self.times.get(timeout=PATIENCE))
        self.process.join()
        return f"{took[len(took) // 2] * 1000:.2f} ms median, {took[-1] * 1000:.1f} ms longest"


def open_again(binary: Path, folder: Path, session: str, words: str, number: signal.Signals, settings: list[str]) -> None:
    gateway = Subject(binary, folder, *settings)
    before = gateway.status("VmRSS")
    pair = Pair(gateway)
    pair.begun.wait(PATIENCE)
    reads = gateway.io("rchar")
    first, took, count = read_all(gateway.port, session)
    after, peak = gateway.status("VmRSS"), gateway.status("VmHWM")
    reads = gateway.io("rchar") - reads
    others = pair.end()
    again = gateway.io("rchar"), gateway.io("syscr"), gateway.io("read_bytes")
    second_first, second, _ = read_all(gateway.port, session)
    more = [now - then for now, then in zip(
        (gateway.io("rchar"), gateway.io("syscr"), gateway.io("read_bytes")), again, strict=True)]  # fmt: skip
    gateway.end(number)
    print(
        f"{words}\n"
        f"  memory    {before / 1024:8.1f} MiB before, {after / 1024:.1f} MiB after it is open (most: {peak / 1024:.1f} MiB)\n"
        f"  1st join  {first:8.3f} s until the catch-up begins, {took:.3f} s until all {count / 2**20:.1f} MiB are there;"
        f" {reads / 2**20:.1f} MiB read from files\n"
        f"  others    {others}, during the first join\n"
        f"  2nd join  {second_first:8.3f} s, {second:.3f} s; {more[0]} bytes in {more[1]} read calls, {more[2]} bytes from the disk",
        flush=True)  # fmt: skip


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", type=Path)
    options.add_argument("--entries", type=int, default=1_000_000)
    options.add_argument("--bytes", type=int, default=100, help="of payload in each entry")
    options.add_argument("--folder", default=None, help="where the data folder is made")
    given = options.parse_args()
    settings = ["--max-session-log-bytes", "4G", "--max-memory-bytes", "4G", "--max-entries-per-second", "1000000",
                "--max-bytes-per-second", "4G", "--reactors", "1", "--flush-interval", "0"]  # fmt: skip
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        gateway = Subject(given.binary, folder, *settings)
        empty = gateway.status("VmRSS")
        session = gateway.create_session()
        prefix, payload = os.urandom(8), os.urandom(given.bytes)
        pair = Pair(gateway)
        begun = time.monotonic()
        fill(gateway.port, session, given.entries, lambda number: (prefix + struct.pack(">Q", number), b"Note", payload))
        took = time.monotonic() - begun
        others = pair.end()
        log = folder / "data" / "sessions" / session / "log"
        if not log.exists():
            sys.exit(f"{log} is not there: this gateway keeps nothing")
        print(
            f"{given.entries} retained entries of {given.bytes} bytes: all committed after {took:.1f} s,"
            f" memory {empty / 1024:.1f} MiB before, {gateway.status('VmRSS') / 1024:.1f} MiB after;"
            f" others meanwhile: {others}", flush=True)  # fmt: skip
        gateway.end()
        print(f"the log has {log.stat().st_size / 2**20:.1f} MiB")
        open_again(given.binary, folder, session, "opened after a clean stop", signal.SIGKILL, settings)
        open_again(given.binary, folder, session, "opened after kill -9", signal.SIGTERM, settings)


socket.setdefaulttimeout(PATIENCE)
if __name__ == "__main__":
    main()

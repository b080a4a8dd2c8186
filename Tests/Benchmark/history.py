#!/usr/bin/env python3
"""Measures the history of a large session: its size, the time to read the state at a sequence, and the cost for joiners.

    Tests/Benchmark/history.py [--entries 1000000] [--keys 10000] GATEWAY_BINARY

Fills one session with strokes as the page sends them: most entries append points to a stroke, and the last one of a stroke
replaces it. Then it reads the overview, and the states at random sequences as a client does: the newest stored state before the
sequence, and the entries after it. The printed times are those of the requests alone, including decompression; `parsing` is the
time that this program takes to find the entries. The printed bytes are those on the wire. A second run with `--history off` allows
a comparison of the memory and of the time to join.
"""

from __future__ import annotations

import argparse
import gzip
import http.client
import json
import random
import re
import socket
import struct
import tempfile
import time
from pathlib import Path

from subject import IN_A_MESSAGE, RELIABLE_APPEND, RELIABLE_REPLACE, Subject, binary_header, entry, join, newest_commit

PATIENCE = 600.0
AHEAD = 20_000
ENTRIES_OF_A_STROKE = 10
KIND = b"UpsertStrokeMessage"


def stroke(number: int, keys: int) -> tuple[int, bytes, bytes]:
    """Returns the flags, the key and the payload of an entry, by its number from 1."""
    object_number, step = divmod(number, ENTRIES_OF_A_STROKE)
    key = struct.pack(">QQ", 0x0123_4567_89AB_CDEF, object_number * 7_919 % keys)
    chance = random.Random(number)

    def point() -> list[float]:
        return [round(chance.uniform(-3_000, 3_000), 2), round(chance.uniform(-3_000, 3_000), 2)]

    whole = step == ENTRIES_OF_A_STROKE - 1
    points = [point() for _ in range(30 if whole else 4)]
    payload = {"id": key.hex(), "color": number % 11, "point": points[-1], "points": points, "width": 3, "tool": "pen"}
    return (RELIABLE_REPLACE if whole else RELIABLE_APPEND), key, json.dumps(payload, separators=(",", ":")).encode()


def fill(port: int, session: str, count: int, keys: int) -> None:
    opened, received = join(port, session, "Writer")
    while not (caught_up := re.search(rb'"sequence":(\d+)', received)):
        received += opened.recv(1 << 20)
    before = committed = int(caught_up[1])
    sent = 0
    while committed < before + count:
        while sent < count and before + sent - committed < AHEAD:
            numbers = range(sent + 1, min(sent + IN_A_MESSAGE, count) + 1)
            made = ((number, stroke(number, keys)) for number in numbers)
            body = b"".join(entry(flags, number, key, KIND, payload) for number, (flags, key, payload) in made)
            opened.sendall(binary_header(len(body)) + body)
            sent += len(numbers)
        piece = opened.recv(1 << 20)
        if not piece or b'{"error"' in piece:
            raise SystemExit(f"the gateway refuses the writer: {(received + piece)[-300:]!r}")
        committed = max(committed, newest_commit(received[-64:] + piece))
        received = piece
    opened.close()


def join_time(port: int, session: str) -> float:
    begun = time.monotonic()
    join(port, session, "Reader")[0].close()
    return time.monotonic() - begun


class History:
    """Reads the history of a session over one connection."""

    def __init__(self, port: int, session: str):
        self.connection = http.client.HTTPConnection("127.0.0.1", port, timeout=PATIENCE)
        self.path = f"/api/sessions/{session}/history"
        self.bytes = 0
        self.requests = 0

    def get(self, query: str = "") -> bytes:
        self.connection.request("GET", self.path + query, headers={"Accept-Encoding": "gzip"})
        answer = self.connection.getresponse()
        body = answer.read()
        if answer.status != 200:
            raise SystemExit(f"{query}: {answer.status} {body!r}")
        self.bytes += len(body)
        self.requests += 1
        return gzip.decompress(body) if answer.headers["Content-Encoding"] == "gzip" else body

    def read(self, overview: dict, sequence: int) -> list[bytes]:
        """Reads the stored state and the entries that a client needs for the state at a sequence."""
        state = max((row for row in overview["states"] if row[0] <= sequence), default=None)
        if state is None:
            raise SystemExit(f"the history has no state before {sequence}")
        parts = [self.get(f"?state={state[0]}&tag={state[1]}")] if state[1] else []
        for first, last, tag, _ in overview["chunks"]:
            if last > state[0] and first <= sequence:
                parts.append(self.get(f"?from={first}&to={min(last, sequence)}&tag={tag}"))
        next_sequence = max(state[0], overview["stored"]) + 1
        while next_sequence <= sequence:
            parts.append(self.get(f"?from={next_sequence}&to={sequence}"))
            next_sequence = int(re.findall(rb'\{"from":\d+,"to":(\d+)', parts[-1])[-1]) + 1
        return parts


def apply(parts: list[bytes], through: int) -> dict[bytes, list[int]]:
    """Returns the sequences of the retained entries of each key."""
    state: dict[bytes, list[int]] = {}
    for part in parts:
        at = 0
        while at < len(part):
            length, flags, _, sequence = struct.unpack_from(">IBBQ", part, at)
            if 0 < sequence <= through and not flags & 0x80 and flags >> 1 & 3:
                key = part[at + 22 : at + 38]
                if flags >> 1 & 3 == 1:
                    state.setdefault(key, []).append(sequence)
                elif flags >> 1 & 3 == 2:
                    state[key] = [sequence]
                else:
                    state.pop(key, None)
            at += 4 + length
    return state


def measure(gateway: Subject, session: str, count: int, samples: int) -> None:
    history = History(gateway.port, session)
    begun = time.monotonic()
    overview = json.loads(history.get())
    took = time.monotonic() - begun
    print(
        f"overview: {took * 1000:.0f} ms, {history.bytes / 1024:.0f} KiB, {len(overview['states'])} states,"
        f" {len(overview['chunks'])} chunks, {len(overview['buckets'])} buckets; through {overview['through']},"
        f" stored {overview['stored']}, first state {overview['states'][0][0] if overview['states'] else None}", flush=True)  # fmt: skip
    first = overview["states"][0][0]
    chance = random.Random(1)
    rows = []
    for _ in range(samples):
        sequence = chance.randint(first + 1, overview["through"])
        history.bytes = history.requests = 0
        begun = time.monotonic()
        parts = history.read(overview, sequence)
        read = time.monotonic() - begun
        state = apply(parts, sequence)
        parsed = time.monotonic() - begun - read
        rows.append((read, parsed, history.bytes, history.requests, len(state)))
    reads = sorted(row[0] for row in rows)
    print(
        f"state at {samples} random sequences: requests {reads[len(reads) // 2] * 1000:.0f} ms median,"
        f" {reads[-1] * 1000:.0f} ms longest; parsing {max(row[1] for row in rows) * 1000:.0f} ms longest;"
        f" {max(row[2] for row in rows) / 2**20:.2f} MiB and {max(row[3] for row in rows)} requests at most;"
        f" {max(row[4] for row in rows)} keys", flush=True)  # fmt: skip


def run(binary: Path, given: argparse.Namespace, settings: list[str]) -> None:
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        folder = Path(name)
        gateway = Subject(
            binary, folder, "--max-entries-per-second", "1000000", "--max-bytes-per-second", "4G", "--reactors", "1", *settings)  # fmt: skip
        session = gateway.create_session()
        begun, busy = time.monotonic(), gateway.cpu_seconds()
        fill(gateway.port, session, given.entries, given.keys)
        took = time.monotonic() - begun
        busy = gateway.cpu_seconds() - busy
        files = list((folder / "data" / "sessions" / session).iterdir())
        stored = sum(file.stat().st_size for file in files if file.name.startswith("history."))
        joins = sorted(join_time(gateway.port, session) for _ in range(5))
        print(
            f"{' '.join(settings) or 'with history'}: {given.entries} entries of {given.keys} keys in {took:.0f} s, CPU {busy:.1f} s;"
            f" log {(folder / 'data' / 'sessions' / session / 'log').stat().st_size / 2**20:.1f} MiB,"
            f" history {stored / 2**20:.1f} MiB; memory {gateway.status('VmRSS') / 1024:.0f} MiB"
            f" (most {gateway.status('VmHWM') / 1024:.0f}); join {joins[2] * 1000:.0f} ms", flush=True)  # fmt: skip
        if not settings:
            measure(gateway, session, given.entries, given.samples)
            print(f"memory after that {gateway.status('VmRSS') / 1024:.0f} MiB (most {gateway.status('VmHWM') / 1024:.0f})")
        gateway.end()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", type=Path)
    options.add_argument("--entries", type=int, default=1_000_000)
    options.add_argument("--keys", type=int, default=10_000)
    options.add_argument("--samples", type=int, default=40)
    options.add_argument("--folder", default=None, help="where the data folder is made")
    given = options.parse_args()
    run(given.binary, given, [])
    run(given.binary, given, ["--history", "off"])


socket.setdefaulttimeout(PATIENCE)
if __name__ == "__main__":
    main()

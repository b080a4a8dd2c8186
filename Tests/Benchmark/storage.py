#!/usr/bin/env python3
"""Measures the cost of storing sessions: the gateway's CPU time per delivered entry, by --durability.

    Tests/Benchmark/storage.py [--rounds 5] [--seconds 10] [--rate 60] [--batch 6] GATEWAY_BINARY

Every round measures `memory`, `process` and `full` one after the other, in rotating order, each with a new gateway and an empty
folder: 200 sessions of 5 members, each of which sends 60 entries a second. Every entry is retained and delivered to all five. The
cost is the process's CPU time (user and system, all threads) over the measured seconds, divided by the increase of
drawtogether_entries_delivered_total. The kernel's later work to write pages back counts for no process.

Members send their entries in messages of --batch and in turn, so that the load is even. They read without parsing, whenever
they send. The load comes from two processes of low priority; if they do not reach the rate, the report says so. Run it on a
quiet machine.
"""

from __future__ import annotations

import argparse
import multiprocessing
import os
import resource
import socket
import statistics
import struct
import tempfile
import time
from pathlib import Path

from subject import RELIABLE_APPEND, Subject, binary_header, entry, join

MODES = ["memory", "process", "full"]
KIND = b"UpsertStrokeMessage"
STROKE = 60  # entries under one key
PAYLOAD = b'{"id":"6F9619FF-8B86-D011-B42D-00C04FC964FF","color":3,"point":[123.5,-67.25]}'


class Member:
    """One participant. Its message is made once; only sequences and key change in it."""

    def __init__(self, port: int, session: str, number: int, batch: int):
        self.socket, _ = join(port, session, f"Member {number}")
        self.socket.setblocking(False)
        body = b"".join(entry(RELIABLE_APPEND, 0, bytes(16), KIND, PAYLOAD) for _ in range(batch))
        header = binary_header(len(body))
        self.message = bytearray(header + body)
        self.places = [len(header) + index * (len(body) // batch) + 6 for index in range(batch)]
        self.sequence = 0
        self.stroke = os.urandom(8)

    def send(self) -> None:
        for place in self.places:
            self.sequence += 1
            struct.pack_into(">I8sQ", self.message, place, self.sequence, self.stroke, self.sequence // STROKE)
        # If the socket had no room for so little, the gateway would have stopped reading, and the load would be wrong.
        sent = self.socket.send(self.message)
        if sent != len(self.message):
            raise SystemExit("the gateway takes no more entries: the rate is too high for this machine")


def load(port: int, sessions: list[str], given: argparse.Namespace, ready, stop) -> None:
    """Joins five members to each session, then sends at the given rate until stopped."""
    os.nice(5)
    members = [Member(port, session, number, given.batch) for session in sessions for number in range(5)]
    ready.wait()
    trash = bytearray(1 << 20)
    slots = 25  # in each of these parts of a period, its share of the members sends
    pause = given.batch / given.rate / slots
    due = time.monotonic()
    slot = 0
    while not stop.is_set():
        for member in members[slot % slots :: slots]:
            member.send()
            try:
                if member.socket.recv_into(trash) == 0:
                    raise SystemExit("the gateway closed a member's socket")
            except BlockingIOError:
                pass
        slot += 1
        due += pause
        # Missed sends are not made up for in a burst; the reached rate shows them.
        due = max(due, time.monotonic() - pause)
        time.sleep(max(0.0, due - time.monotonic()))


def measure(given: argparse.Namespace, mode: str) -> tuple[float, float, float]:
    """Returns the CPU seconds per delivered entry, and the received and delivered entries per second."""
    with tempfile.TemporaryDirectory(dir=given.folder) as name:
        gateway = Subject(given.binary, Path(name), "--durability", mode)
        sessions = [gateway.create_session() for _ in range(given.sessions)]
        ready, stop = multiprocessing.Barrier(given.processes + 1), multiprocessing.Event()
        workers = [
            multiprocessing.Process(
                target=load, args=(gateway.port, sessions[index :: given.processes], given, ready, stop), daemon=True)
            for index in range(given.processes)
        ]  # fmt: skip
        for worker in workers:
            worker.start()
        try:
            ready.wait(60)
            time.sleep(given.warmup)
            figures = [read(gateway)]
            time.sleep(given.seconds)
            figures.append(read(gateway))
        finally:
            stop.set()
            for worker in workers:
                worker.join(20)
        failed = [worker.exitcode for worker in workers if worker.exitcode]
        gateway.end()
        if failed:
            raise SystemExit("a process of the load failed")
    cpu, received, delivered, wall = (after - before for before, after in zip(*figures, strict=True))
    return cpu / delivered, received / wall, delivered / wall


def read(gateway: Subject) -> tuple[float, float, float, float]:
    received = gateway.metric("drawtogether_entries_received_total")
    delivered = gateway.metric("drawtogether_entries_delivered_total")
    return gateway.cpu_seconds(), received, delivered, time.monotonic()


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", type=Path)
    options.add_argument("--rounds", type=int, default=5)
    options.add_argument("--seconds", type=float, default=10, help="measured in each run")
    options.add_argument("--warmup", type=float, default=2)
    options.add_argument("--sessions", type=int, default=200, help="of five members each")
    options.add_argument("--rate", type=float, default=60, help="entries a second of each member")
    options.add_argument("--batch", type=int, default=6, help="entries of a member in one message")
    options.add_argument("--processes", type=int, default=2, help="that make the load")
    options.add_argument("--folder", default=None, help="where the data folders are made: the disk that is measured")
    given = options.parse_args()
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard if hard != resource.RLIM_INFINITY else max(soft, 65_536), hard))
    costs: dict[str, list[float]] = {mode: [] for mode in MODES}
    rates: list[float] = []
    for number in range(given.rounds):
        turned = MODES[number % 3 :] + MODES[: number % 3]
        for mode in turned:
            cost, received, delivered = measure(given, mode)
            costs[mode].append(cost)
            rates.append(received)
            print(
                f"round {number + 1:2}  {mode:8} {cost * 1e9:7.0f} ns a delivered entry"
                f"   {received:8.0f} received/s {delivered:8.0f} delivered/s", flush=True)  # fmt: skip
    wanted = given.sessions * 5 * given.rate
    print(f"\n{given.sessions} sessions × 5 members × {given.rate:g} entries/s in messages of {given.batch}, {given.rounds} rounds")
    print(f"rate reached: {statistics.median(rates):.0f} of {wanted:.0f} entries/s (lowest {min(rates):.0f})")
    if min(rates) < 0.98 * wanted:
        print("THE RATE WAS NOT REACHED: the machine is too small, or not quiet")
    base = statistics.median(costs["memory"])
    for mode in MODES:
        middle = statistics.median(costs[mode])
        pairs = statistics.median(own / off for own, off in zip(costs[mode], costs["memory"], strict=True))
        print(
            f"{mode:8} median {middle * 1e9:7.0f} ns   ×{middle / base:.3f} of memory's   ×{pairs:.3f} within rounds"
            f"   spread {min(costs[mode]) * 1e9:.0f}–{max(costs[mode]) * 1e9:.0f}")  # fmt: skip


socket.setdefaulttimeout(30)
if __name__ == "__main__":
    main()

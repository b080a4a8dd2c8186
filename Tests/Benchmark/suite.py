"""Runs everything in rounds and writes the table; started by `run`."""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import machine
from servers import (
    ALL,
    NODE,
    OURS,
    OURS_TLS,
    OURS_TWO_REACTORS,
    PICOWS,
    WEBSOCKETS,
    Contender,
    Failure,
    floor,
    measure,
    peer,
)
from shapes import BURSTS, DRAWINGS, MOST_INSTRUCTIONS, QUICK, Drawing, Sizes
from table import Table

HERE = Path(__file__).resolve().parent
Found = list[dict | None]


class Suite:
    def __init__(self, rounds: int, sizes: Sizes, peers: tuple[Contender, ...] = ()) -> None:
        self.rounds = rounds
        self.sizes = sizes
        self.peers = peers
        self.troubles: list[str] = []
        self.floors: dict[str, Found] = {}
        self.results: dict[tuple[str, Contender], Found] = {}
        self.load_before = machine.load()

    def run(self) -> None:
        for number in range(self.rounds):
            for shape in DRAWINGS:
                self._draw(number, shape)
            self._measure(number, "placement", (OURS_TWO_REACTORS,), self._placement)
            self._measure(number, "idle", (OURS, OURS_TLS, NODE, WEBSOCKETS, PICOWS, *self.peers), self._idle)
            self._measure(number, "long idle", (OURS,), self._long_idle)
            self._measure(number, "pings", (OURS,), lambda contender: [*self._long_idle(contender), "--live"])
            self._measure(number, "storm", (OURS, OURS_TLS, NODE, WEBSOCKETS, PICOWS), self._storm)
            self._measure(number, "live storm", (OURS,), lambda contender: [*self._storm(contender), "--live"])
            self._measure(number, "slow readers", (OURS,), self._slow_readers)
            self._measure(number, "upload", (OURS, OURS_TLS), self._upload)

    def _draw(self, number: int, shape: Drawing) -> None:
        found = self._try(f"floor of {shape.name}", lambda: floor(shape.sockets, self.sizes.floor_seconds))
        self.floors.setdefault(shape.name, []).append(found)
        self._measure(
            number, shape.name, (*shape.contenders, *self.peers),
            lambda contender: shape.arguments_for(contender, self.sizes.seconds))  # fmt: skip

    def _placement(self, _: Contender) -> list[str]:
        return ["rooms", "--count-echo", "--seconds", str(self.sizes.seconds)]

    def _idle(self, contender: Contender) -> list[str]:
        sockets = self.sizes.idle if contender.is_ours else self.sizes.idle_peers
        return ["idle", "--sockets", str(sockets), "--seconds", str(self.sizes.idle_seconds)]

    def _long_idle(self, _: Contender) -> list[str]:
        # Sessions of five, as in a usual meeting, because heartbeats and pings go to each member.
        return ["idle", "--members", "5", "--sockets", str(self.sizes.idle), "--seconds", str(self.sizes.long_idle_seconds)]

    def _storm(self, _: Contender) -> list[str]:
        # A kilobyte is the size of a stroke; with entries of 64 bytes, headers would be half of the bytes.
        return ["join-storm", "--joins", str(self.sizes.joins), "--payload", "1024", "--snapshot-bytes", "262144"]

    def _slow_readers(self, _: Contender) -> list[str]:
        return ["slow-readers", "--readers", str(self.sizes.slow_readers), "--megabytes", str(self.sizes.megabytes)]

    def _upload(self, _: Contender) -> list[str]:
        return ["upload", "--megabytes", str(self.sizes.megabytes), "--seconds", str(self.sizes.seconds)]

    def _measure(
        self, number: int, shape: str, contenders: tuple[Contender, ...], arguments: Callable[[Contender], list[str]]
    ) -> None:
        # The order rotates, so that no contender is always first or behind the same one.
        turn = number % len(contenders)
        for contender in contenders[turn:] + contenders[:turn]:
            words = arguments(contender)
            found = self._try(f"{contender.name}, {shape}", lambda c=contender, w=words: measure(c, w))
            if found is not None:
                found["countsEcho"] = "--count-echo" in words
            self.results.setdefault((shape, contender), []).append(found)
            print(f"round {number + 1} of {self.rounds}: {shape}, {contender.name}", file=sys.stderr)

    def _try(self, what: str, run: Callable[[], dict]) -> dict | None:
        try:
            return run()
        except Failure as failure:
            self.troubles.append(f"{what}: {failure}")
            print(self.troubles[-1], file=sys.stderr)
            return None

    def of(self, shape: str) -> dict[Contender, Found]:
        return {
            contender: self.results[shape, contender]
            for contender in (*ALL, *self.peers)
            if (shape, contender) in self.results
        }

    def raw(self) -> str:
        """Returns every figure of every run as JSON."""
        results = [
            {"shape": shape, "server": contender.name, "rounds": found} for (shape, contender), found in self.results.items()
        ]  # fmt: skip
        return json.dumps({"floors": self.floors, "results": results, "troubles": self.troubles}, indent=1)

    def table(self, instructions: dict[str, float | None]) -> Table:
        table = Table(self.sizes)
        for shape in DRAWINGS:
            table.add_drawing(shape, self.floors[shape.name], self.of(shape.name), self.results[BURSTS.name, OURS])
        table.add_instructions(instructions)
        table.add_placement(self.results["placement", OURS_TWO_REACTORS])
        table.add_idle(self.of("idle"))
        table.add_long_idle(self.results["long idle", OURS], self.results["pings", OURS])
        table.add_storm(self.of("storm"))
        table.add_live_storm(self.results["live storm", OURS])
        table.add_slow_readers(self.results["slow readers", OURS])
        for contender, found in self.of("upload").items():
            table.add_upload(contender.name, found)
        return table

    def instructions(self) -> dict[str, float | None]:
        done = subprocess.run(
            [sys.executable, HERE / "instructions", "--json", "--messages", *map(str, self.sizes.instructions),
             os.environ["GATEWAY"], os.environ["BENCH"]],
            capture_output=True, text=True)  # fmt: skip
        if done.returncode == 0:
            return json.loads(done.stdout)
        self.troubles.append(f"instructions: {done.stderr.strip()[-300:]}")
        return dict.fromkeys(MOST_INSTRUCTIONS)

    def files(self) -> str:
        """Runs the script that transfers files through the gateway and nginx, and returns its table."""
        done = subprocess.run(
            [sys.executable, HERE / "attachments.py", "--rounds", str(self.sizes.file_rounds), "--mebibytes",
             str(self.sizes.file_mebibytes), os.environ["GATEWAY"]],
            capture_output=True, text=True)  # fmt: skip
        if done.returncode == 0:
            return done.stdout
        self.troubles.append(f"files beside nginx: {done.stderr.strip()[-300:]}")
        return ""


def page(suite: Suite) -> tuple[str, Table]:
    instructions = suite.instructions()
    files = suite.files()
    table = suite.table(instructions)
    marks = table.marks
    lines = [
        f"Machine: {machine.hardware()}.",
        f"Versions: {machine.versions()}.",
        f"Load average before {suite.load_before}, after {machine.load()}. Rounds: {suite.rounds} of "
        f"{suite.sizes.seconds} s a shape; medians (least–most), ratios within a round. Server on one core, generator on another.",
        f"Marks: {marks.passed} passed, {marks.failed} failed, {marks.void} void for a starved generator.",
        "",
        table.text,
        "",
        "The figures are CPU time of the server per delivered message. In the rows with a rate per second, our server also returns",
        "each entry to its sender, and counts the returned entry as delivered. “Ours to it” is our CPU time per message to other",
        "participants, divided by that of the other server.",
        "",
        "```",
        files.rstrip(),
        "```",
    ]
    if suite.troubles:
        lines += ["", "What broke off:", ""] + [f"- {trouble}" for trouble in suite.troubles]
    return "\n".join(lines) + "\n", table


def main() -> int:
    options = argparse.ArgumentParser(prog="Tests/Benchmark/run")
    options.add_argument("--rounds", type=int, help="how many rounds [5]")
    options.add_argument("--seconds", type=float, help="how long a shape is measured [2]")
    options.add_argument("--quick", action="store_true", help="one short round of small sizes")
    options.add_argument("--output", type=Path, help="where to write the page as well; beside it, as .json, every figure")
    options.add_argument("--strict", action="store_true", help="end with 1 when a mark is missed")
    options.add_argument(
        "--peer", type=peer, action="append", default=[], metavar="NAME=ADDRESS",
        help="measure this server as well, which runs already and sends each binary message to all others whose request has the"
        " same path; its CPU is measured if it runs on this machine, and is comparable if it runs on the server's core")  # fmt: skip
    given = options.parse_args()
    sizes = QUICK if given.quick else Sizes()
    if given.seconds is not None:
        sizes = Sizes(**{**vars(sizes), "seconds": given.seconds})
    suite = Suite(given.rounds or (1 if given.quick else 5), sizes, tuple(given.peer))
    suite.run()
    if given.output:
        # Written first, because it took half an hour to measure.
        given.output.with_suffix(".json").write_text(suite.raw())
    text, table = page(suite)
    print(text, end="")
    if given.output:
        given.output.write_text(text)
    return 1 if suite.troubles or (given.strict and table.marks.failed) else 0


if __name__ == "__main__":
    sys.exit(main())

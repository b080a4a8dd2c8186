"""Kills (or stops) a gateway repeatedly while participants draw and upload. No committed entry may be lost."""

from __future__ import annotations

import argparse
import asyncio
import logging
import random
import shutil
import signal
import sys
import tempfile
import time
import traceback
from collections import Counter
from pathlib import Path

from era import Era, Finished, check_ended, check_finished
from lasting import LastingGateway

ROUNDS_AN_ERA = (5, 25)
MOST_FAILURES = 5
TAIL_BYTES = {signal.SIGKILL: 64 << 10, signal.SIGTERM: 2 << 20}
"""Small where no tails are expected: then little is kept, and logs are compacted soon."""


class Run:
    """Runs all rounds, era after era, on one data folder until a check fails."""

    def __init__(self, arguments: argparse.Namespace, folder: Path) -> None:
        self._arguments, self._folder = arguments, folder
        self._signal = signal.Signals["SIG" + arguments.signal]
        self._chance = random.Random(arguments.seed)
        self._counts: Counter[str] = Counter()
        self._kinds: Counter[str] = Counter()
        self._gateways = 0
        self._ended: list[str] = []
        self._finished: list[Finished] = []
        self.passed = self.failed = 0

    async def rounds(self) -> None:
        """Runs all rounds and prints the progress."""
        gateway = self._new_gateway()
        began = time.monotonic()
        era_number = 0
        while self.passed + self.failed < self._arguments.rounds and self.failed < MOST_FAILURES:
            era_number += 1
            era = Era(gateway, self._signal, f"{self._arguments.seed}/{era_number}", self._counts)
            try:
                await self._era(era)
            except Exception:
                self.failed += 1
                self._report(gateway, traceback.format_exc())
                await era.abandon()
                gateway.kill()
                self._ended, self._finished = [], []
                gateway = self._new_gateway()
            print(
                f"{self.passed} rounds passed, {self.failed} failed, {time.monotonic() - began:.0f} s",
                flush=True,
            )
        if not self.failed:
            await self._check_all_that_is_over(gateway)
        gateway.kill()
        for name, count in sorted((self._kinds + self._counts).items()):
            print(f"  {count:7} {name}")

    async def _era(self, era: Era) -> None:
        await era.begin()
        for _ in range(self._chance.randint(*ROUNDS_AN_ERA)):
            if self.passed + self.failed == self._arguments.rounds:
                break
            self._kinds[f"rounds: {await era.round()}"] += 1
            self.passed += 1
        await era.finish()
        self._ended += era.ended
        self._finished += era.finished

    async def _check_all_that_is_over(self, gateway: LastingGateway) -> None:
        """Checks every session of every era, after all later ends of the gateway."""
        try:
            for session in self._ended:
                await check_ended(gateway, session)
            for finished in self._finished:
                await check_finished(gateway, finished)
            self.passed += 1
        except Exception:
            self.failed += 1
            self._report(gateway, traceback.format_exc())

    def _new_gateway(self) -> LastingGateway:
        self._gateways += 1
        return LastingGateway(
            self._arguments.binary, self._folder / f"gateway-{self._gateways}",
            "--durability", self._arguments.durability, "--log-level", "debug",
            graceSeconds=2, entriesPerSecond=100_000, bytesPerSecond=256 << 20,
            catchUpTailBytes=TAIL_BYTES[self._signal], sessionLogBytes=8 << 20,
        )  # fmt: skip

    def _report(self, gateway: LastingGateway, what: str) -> None:
        """Copies the present data folder, and prints its path."""
        if gateway.is_running:
            gateway.kill()
        kept = self._folder / f"failure-{self.failed}"
        shutil.copytree(gateway.folder, kept, symlinks=True, ignore=shutil.ignore_patterns("commands"))
        print(f"FAILED after {self.passed} rounds, seed {self._arguments.seed}\n{what}")
        print(f"data folder and log: {kept}", flush=True)


def arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="Tests/Kills/run", description=__doc__)
    parser.add_argument("binary")
    parser.add_argument("--rounds", type=int, default=25)
    parser.add_argument("--signal", choices=["KILL", "TERM"], default="KILL")
    parser.add_argument("--seed", type=int, default=random.SystemRandom().randrange(1 << 32))
    parser.add_argument("--durability", choices=["process", "full"], default="process")
    return parser.parse_args()


def main() -> int:
    given = arguments()
    print(
        f"seed {given.seed}, {given.rounds} rounds with SIG{given.signal}, --durability {given.durability}",
        flush=True,
    )
    # Lost connections are expected here.
    for library in ("asyncio", "websockets"):
        logging.getLogger(library).setLevel(logging.CRITICAL + 1)
    folder = Path(tempfile.mkdtemp(prefix="drawtogether-kills-"))
    run = Run(given, folder)
    asyncio.run(run.rounds())
    if not run.failed:
        shutil.rmtree(folder)
    print(f"{run.passed} passed, {run.failed} failed")
    return 1 if run.failed else 0


if __name__ == "__main__":
    sys.exit(main())

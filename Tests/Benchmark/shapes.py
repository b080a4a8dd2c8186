"""The measured shapes of load, and the goals of the product for each."""

from __future__ import annotations

from dataclasses import dataclass

from servers import ALL, OURS, OURS_TLS, Contender


@dataclass(frozen=True)
class Drawing:
    """Drawing participants. The cost of a delivered entry is compared with the kernel's cost of a frame."""

    name: str
    arguments: tuple[str, ...]
    sockets: int
    # The number of frames per call, as the gateway joins entries of this shape.
    floor_frames: int = 1
    # True if an entry that the gateway returns to its sender counts: it is a send like any other.
    counts_echo: bool = False
    most_floors: float | None = None
    most_floors_tls: float | None = None
    contenders: tuple[Contender, ...] = tuple(ALL)

    def arguments_for(self, contender: Contender, seconds: float) -> list[str]:
        echo = ["--count-echo"] if self.counts_echo and contender.is_ours else []
        return [*self.arguments, *echo, "--seconds", str(seconds), "--warm-up", str(min(0.5, seconds))]

    def limit_for(self, contender: Contender) -> float | None:
        if contender == OURS:
            return self.most_floors
        return self.most_floors_tls if contender == OURS_TLS else None


DRAWINGS = [
    Drawing("1 × 100, one at a time", ("fan-out", "--members", "100"), 100, most_floors=1.35),
    Drawing("1 × 1000, one at a time", ("fan-out", "--members", "1000"), 1_000, most_floors=1.35),
    Drawing("10 × 100", ("fan-out", "--senders", "10", "--members", "100"), 100, floor_frames=8, most_floors=1.5),
    Drawing("1 × 100, bursts of 16", ("fan-out", "--burst", "16", "--members", "100"), 100, floor_frames=16, most_floors=2),
    Drawing("200 × 5, 10/s", ("rooms", "--rate", "10"), 1_000, counts_echo=True),
    Drawing(
        "200 × 5, 60/s", ("rooms", "--rate", "60"), 1_000, counts_echo=True, most_floors=1.05, most_floors_tls=1.5),
]  # fmt: skip

# The maximum cost if all clients offer compression, relative to the cost without.
MOST_OF_PLAIN = 1.10
MOST_IDLE_BYTES = 1_024
MOST_IDLE_BYTES_TLS = 20_480
MOST_STORM_SECONDS = 0.3
MOST_STORM_CPU_SECONDS = 0.12
MOST_INSTRUCTIONS_SINGLE = 600
MOST_INSTRUCTIONS_JOINED = 200
MOST_INSTRUCTIONS_ROOMS = 6_000


@dataclass(frozen=True)
class Sizes:
    """The sizes of all loads: for a full or a quick run."""

    seconds: float = 2.0
    floor_seconds: float = 0.3
    idle: int = 10_000
    idle_peers: int = 5_000
    idle_seconds: float = 3.0
    joins: int = 1_000
    slow_readers: int = 100
    megabytes: int = 64
    file_rounds: int = 5
    file_mebibytes: int = 100
    instructions: tuple[int, int] = (500, 3_000)


QUICK = Sizes(
    seconds=0.5, floor_seconds=0.05, idle=1_000, idle_peers=500, idle_seconds=0.5, joins=200, slow_readers=20, megabytes=8,
    file_rounds=1, file_mebibytes=8, instructions=(100, 600))  # fmt: skip

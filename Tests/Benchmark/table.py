"""The table: the cost of each contender for each shape, compared with the kernel and with the gateway."""

from __future__ import annotations

import shapes
from figures import Marks, compact, median, ratios, spread
from servers import OURS, OURS_DEFLATE, OURS_TLS, Contender
from shapes import Drawing, Sizes

HEADINGS = ["shape", "server", "figure", "× floor", "ours to it", "delivered/s", "p50 / p99", "mark"]


class Table:
    def __init__(self, sizes: Sizes) -> None:
        self.sizes = sizes
        self.marks = Marks()
        self.rows: list[list[str]] = []

    def add(self, shape: str, server: str, figure: str, *more: str, mark: str = "") -> None:
        cells = [shape, server, figure, *more]
        self.rows.append(cells + [""] * (len(HEADINGS) - 1 - len(cells)) + [mark])

    @property
    def text(self) -> str:
        lines = [HEADINGS, ["---"] * len(HEADINGS), *self.rows]
        return "\n".join("| " + " | ".join(line) + " |" for line in lines)

    # MARK: Drawing

    def add_drawing(self, shape: Drawing, floors: list[dict | None], results: dict[Contender, list[dict | None]]) -> None:
        frame = [found and found[f"frame{shape.floor_frames}Microseconds"] for found in floors]
        words = "frame" if shape.floor_frames == 1 else f"frame, {shape.floor_frames} a call"
        self.add(shape.name, "kernel floor", f"{spread(frame, 3)} µs a {words}", "1")
        plain = [self._to_others(found) for found in results[OURS]]
        for contender, found in results.items():
            costs = [one and one.get("serverMicrosecondsPerDelivered") for one in found]
            to_floor = ratios(costs, frame)
            others = [self._to_others(one) for one in found]
            to_it = "" if contender.is_ours else spread(ratios(plain, others))
            mark = self._mark_of_drawing(shape, contender, to_floor, ratios(others, plain), self._is_starved(found))
            if contender == OURS_DEFLATE:
                to_it = spread(ratios(plain, others))
            self.add(
                shape.name, contender.name, f"{spread(costs)} µs{self._remarks(found)}", spread(to_floor), to_it,
                compact(median(one and one["deliveredPerSecond"] for one in found)), self._latency(found, ""), mark=mark)  # fmt: skip

    def _mark_of_drawing(
        self,
        shape: Drawing,
        contender: Contender,
        to_floor: list[float | None],
        to_plain: list[float | None],
        is_void: bool,
    ) -> str:
        if contender == OURS_DEFLATE:
            return self.marks.judge(median(to_plain), shapes.MOST_OF_PLAIN, f"{shapes.MOST_OF_PLAIN} × without", is_void)
        limit = shape.limit_for(contender)
        return self.marks.judge(median(to_floor), limit, f"{limit} × floor", is_void) if limit is not None else ""

    @staticmethod
    def _to_others(found: dict | None) -> float | None:
        """Returns the CPU time per message to another member. The other servers return nothing to the sender, so this makes
        them comparable."""
        if found is None or "serverMicrosecondsPerDelivered" not in found:
            return None
        counted = found["delivered"]
        # If echoes are counted, they are part of the delivered messages.
        others = counted - found["echoes"] if found["countsEcho"] else counted
        return found["serverMicrosecondsPerDelivered"] * counted / others

    @staticmethod
    def _is_starved(found: list[dict | None]) -> bool:
        """Returns true if the generator itself was late in any round."""
        return any(one and one.get("starved") for one in found)

    def _remarks(self, found: list[dict | None]) -> str:
        if not any(found):
            return " failed"
        joined = [one.get("entriesPerSend") for one in found if one]
        words = f", {spread(joined, 1)} entries a send" if any(joined) else ""
        return words + (" (generator starved)" if self._is_starved(found) else "")

    @staticmethod
    def _latency(found: list[dict | None], prefix: str) -> str:
        def of(name: str) -> float | None:
            key = f"{prefix}{'L' if prefix else 'l'}atency{name}Microseconds"
            return median(one and one.get(key) for one in found)

        half, most = of("P50"), of("P99")
        return "–" if half is None or most is None else f"{half / 1e3:.2f} / {most / 1e3:.2f} ms"

    # MARK: Sockets

    def add_idle(self, results: dict[Contender, list[dict | None]]) -> None:
        for contender, found in results.items():
            each = [one and one["memoryBytesPerSocket"] for one in found]
            cpu = spread([one and one.get("serverCPUPercent") for one in found], 1)
            opening = spread([one and one.get("serverMicrosecondsPerOpen") for one in found], 0)
            sockets = next((one["sockets"] for one in found if one), 0)
            limit = {OURS: shapes.MOST_IDLE_BYTES, OURS_TLS: shapes.MOST_IDLE_BYTES_TLS}.get(contender)
            mark = self.marks.judge(median(each), limit, f"{limit} B") if limit else ""
            self.add(
                f"{sockets} idle sockets", contender.name, f"{spread(each, 0)} B each, {cpu} % CPU; {opening} µs CPU to open one",
                mark=mark)  # fmt: skip

    def add_storm(self, results: dict[Contender, list[dict | None]]) -> None:
        for contender, found in results.items():
            wall = [one and one["seconds"] for one in found]
            cpu = [one and one["serverCPUSeconds"] for one in found]
            mark = ""
            if contender == OURS:
                seconds, used = shapes.MOST_STORM_SECONDS, shapes.MOST_STORM_CPU_SECONDS
                mark = self.marks.judge(median(wall), seconds, f"{seconds} s") + ", " + self.marks.judge(
                    median(cpu), used, f"{used} s CPU")  # fmt: skip
            self.add(
                f"{self.sizes.joins} join, 256 KiB each", contender.name, f"{spread(wall)} s, {spread(cpu)} s CPU", "", "", "",
                self._latency(found, "join").replace("–", ""), mark=mark)  # fmt: skip

    def add_live_storm(self, found: list[dict | None]) -> None:
        calm, storm = self._latency(found, "calm"), self._latency(found, "storm")
        self.add(
            f"{self.sizes.joins} join, 256 KiB each, two draw",
            OURS.name,
            f"live p50 / p99 before: {calm}",
            "",
            "",
            "",
            storm,
        )

    def add_slow_readers(self, found: list[dict | None]) -> None:
        def of(name: str, digits: int = 0) -> str:
            return spread([one and one.get(name) for one in found], digits)

        pace = spread(
            [one and one["entriesPerSecondBeside"] / one["entriesPerSecondAlone"] for one in found])  # fmt: skip
        sizes = self.sizes
        self.add(
            f"{sizes.slow_readers} do not read {sizes.megabytes} MiB", OURS.name,
            f"process + {of('processGrowthKiB')} KiB, at its sockets + {of('serverQueueGrowthKiB')} KiB; pace of the others "
            f"{pace} of before; {of('complete')} complete again, {of('closed')} closed")  # fmt: skip

    def add_upload(self, name: str, found: list[dict | None]) -> None:
        rate = spread([one and one["uploadMiBPerSecond"] for one in found], 0)
        self.add(
            f"upload of {self.sizes.megabytes} MiB, ten draw", name,
            f"{rate} MiB/s; live p50 / p99 before: {self._latency(found, 'calm')}", "", "", "", self._latency(found, "upload"))  # fmt: skip

    # MARK: Instructions

    def add_instructions(self, single: float | None, joined: float | None, rooms: float | None) -> None:
        for name, number, limit in (
            ("1 × 100, one at a time", single, shapes.MOST_INSTRUCTIONS_SINGLE),
            ("1 × 100, bursts of 16", joined, shapes.MOST_INSTRUCTIONS_JOINED),
            ("10 × 5, 10/s", rooms, shapes.MOST_INSTRUCTIONS_ROOMS),
        ):
            self.add(
                name, "ours, under callgrind", f"{spread([number], 0)} instructions in user space per delivered entry",
                mark=self.marks.judge(number, limit, str(limit)))  # fmt: skip

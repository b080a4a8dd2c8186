"""The system calls of a traced process, in their order."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from pathlib import Path

from polling import until

SYNCS = ("fsync", "fdatasync", "syncfs")
CALLS = (
    *SYNCS, "write", "pwrite64", "ftruncate", "openat", "mkdirat", "renameat", "renameat2", "unlinkat",
    "sendto", "sendmsg", "writev",
)  # fmt: skip
LINE = re.compile(r"(?P<thread>\d+) +(?:<\.\.\. (?P<resumed>\w+) resumed>)?(?P<text>.*)")
UNFINISHED = " <unfinished ...>"


@dataclass
class Call:
    """One system call. Calls of other threads may happen between its begin and its end."""

    text: str
    begin: int
    end: int | None = None

    @property
    def succeeded(self) -> bool:
        return self.end is not None and not re.search(r"= -1 E\w+ \([^)]*\)$", self.text)

    def __str__(self) -> str:
        return self.text[:200]


@dataclass
class Trace:
    """The output of strace so far."""

    path: Path
    calls: list[Call] = field(default_factory=list)
    _read: int = 0
    _lines: int = 0
    _open: dict[str, Call] = field(default_factory=dict)

    def read(self) -> None:
        """Reads the new lines."""
        written = self.path.read_bytes()[self._read :] if self.path.exists() else b""
        whole = written[: written.rfind(b"\n") + 1]
        self._read += len(whole)
        for line in whole.decode(errors="replace").splitlines():
            self._lines += 1
            if match := LINE.fullmatch(line):
                self._take(match)

    def _take(self, line: re.Match[str]) -> None:
        thread, text = line["thread"], line["text"]
        if line["resumed"]:
            call = self._open.pop(thread)
            call.text += text
            call.end = self._lines
            return
        call = Call(text.removesuffix(UNFINISHED), self._lines)
        self.calls.append(call)
        if text.endswith(UNFINISHED):
            self._open[thread] = call
        else:
            call.end = self._lines

    @property
    def now(self) -> int:
        """Returns a position: calls found after it happened later."""
        self.read()
        return self._lines

    def find(self, pattern: str, after: int = 0) -> Call | None:
        """Returns the first successful call of that kind that began after a position."""
        wanted = re.compile(pattern)
        later = (call for call in self.calls if call.begin > after and call.succeeded)
        return next((call for call in later if wanted.search(call.text)), None)

    async def wait(self, pattern: str, after: int = 0) -> Call:
        """Waits for such a call: the tracer writes a moment after the gateway acts."""

        def is_there() -> bool:
            self.read()
            return self.find(pattern, after) is not None

        await until(is_there, f"a call {pattern}")
        found = self.find(pattern, after)
        assert found
        return found

    async def in_order(self, *patterns: str, after: int = 0) -> list[Call]:
        """Waits for the last of these calls. Checks that all happened, each begun after the end of the one before,
        and returns them."""
        last = await self.wait(patterns[-1], after)
        found: list[Call] = []
        moment = after
        for pattern in patterns[:-1]:
            call = self.find(pattern, moment)
            shown = "\n".join(map(str, [c for c in self.calls if c.begin > after]))
            assert call and call.end and call.end < last.begin, f"no {pattern} before {last}:\n{shown}"
            found.append(call)
            moment = call.end
        return [*found, last]


def synced(path: str, call: str = "f(data)?sync") -> str:
    """Returns the pattern for a sync of a file or folder whose path ends like this."""
    return rf"^{call}\(\d+<[^>]*/{path}>\)"


def written(path: str, text: str = "") -> str:
    return rf"^(pwrite64|write)\(\d+<[^>]*/{path}>.*{text}"


def renamed(old_folder: str, old: str, new_folder: str, new: str) -> str:
    return rf'^renameat2?\(\d+<[^>]*/{old_folder}>, "{old}", \d+<[^>]*/{new_folder}>, "{new}"'


def sent(text: str) -> str:
    return rf"^(sendto|sendmsg|writev|write)\(\d+<(socket|TCP).*{text}"

"""A control group that limits the memory of one gateway, on machines that allow it."""

from __future__ import annotations

import contextlib
import shlex
import uuid
from collections.abc import Iterator
from pathlib import Path

ROOT = Path("/sys/fs/cgroup")


class ControlGroup:
    """A control group. The kernel kills its process when that exceeds the limit."""

    def __init__(self, folder: Path, limit: int) -> None:
        self.folder = folder
        self._is_second = (folder / "memory.max").exists()
        (folder / ("memory.max" if self._is_second else "memory.limit_in_bytes")).write_text(str(limit))
        with contextlib.suppress(OSError):
            # Swap must not extend the limit.
            name = "memory.swap.max" if self._is_second else "memory.memsw.limit_in_bytes"
            (folder / name).write_text("0" if self._is_second else str(limit))

    @property
    def kills(self) -> int:
        name = "memory.events" if self._is_second else "memory.oom_control"
        lines = (self.folder / name).read_text().splitlines()
        return next(int(line.split()[1]) for line in lines if line.startswith("oom_kill "))

    @property
    def peak(self) -> int:
        name = "memory.peak" if self._is_second else "memory.max_usage_in_bytes"
        try:
            return int((self.folder / name).read_text())
        except OSError:
            return 0

    def program(self, executable: str, folder: Path) -> str:
        """Writes a program that enters the group and then executes another program."""
        script = folder / "in-group"
        procs = shlex.quote(str(self.folder / "cgroup.procs"))
        script.write_text(f'#!/bin/sh\necho $$ >{procs}\nexec {shlex.quote(executable)} "$@"\n')
        script.chmod(0o755)
        return str(script)


def places() -> list[Path]:
    """Returns the folders in which groups can be created: this process's own group, then the root, for version 2, then
    version 1."""
    found = []
    for line in Path("/proc/self/cgroup").read_text().splitlines():
        _, controllers, path = line.split(":", 2)
        if controllers in ("", "memory") or "memory" in controllers.split(","):
            top = ROOT / "memory" if controllers else ROOT
            found += [top / path.lstrip("/"), top]
    return found


@contextlib.contextmanager
def control_group(limit: int) -> Iterator[ControlGroup | None]:
    """Creates a group with a limit; gives None where groups cannot be created, as in most containers."""
    for place in places():
        folder = place / f"drawtogether-test-{uuid.uuid4().hex[:8]}"
        try:
            folder.mkdir()
        except OSError:
            continue
        try:
            group = ControlGroup(folder, limit)
        except OSError:
            folder.rmdir()
            continue
        try:
            yield group
        finally:
            with contextlib.suppress(OSError):
                folder.rmdir()
        return
    yield None


def peak_bytes(process: int) -> int:
    """Returns the peak of a process's resident memory."""
    status = Path(f"/proc/{process}/status").read_text()
    return int(status.split("VmHWM:")[1].split()[0]) << 10

"""A data folder on a disk that fills up: a small tmpfs where we may mount one, else a limit on the size of files."""

from __future__ import annotations

import contextlib
import errno
import resource
import subprocess
from collections.abc import Iterator
from pathlib import Path

from lasting import LastingGateway

MEBIBYTE = 1 << 20
SIZE = 24 * MEBIBYTE
LEAST = 32 << 10
"""What may still be written to a file: the rest of its page, or up to the limit."""


@contextlib.contextmanager
def mounted(folder: Path, size: int = SIZE) -> Iterator[bool]:
    """A tmpfs of that size on that folder; whether this was permitted."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size}", "none", str(folder)]
    is_mounted = subprocess.run(command, capture_output=True).returncode == 0
    try:
        yield is_mounted
    finally:
        if is_mounted:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)


@contextlib.contextmanager
def read_only(folder: Path) -> Iterator[None]:
    """Nobody can write into that folder meanwhile, root included."""
    bind = ["mount", "--bind", "-o", "ro", str(folder), str(folder)]
    if subprocess.run(bind, capture_output=True).returncode == 0:
        try:
            yield
        finally:
            subprocess.run(["umount", "--lazy", str(folder)], check=True)
        return
    folders = [folder, *[path for path in folder.rglob("*") if path.is_dir()]]
    for path in folders:
        path.chmod(0o555)
    try:
        yield
    finally:
        for path in folders:
            path.chmod(0o755)


class SmallDisk:
    """The disk under a gateway: has room, or has none."""

    def __init__(self, folder: Path, is_mounted: bool) -> None:
        self.gateway: LastingGateway
        self._folder, self._is_mounted = folder, is_mounted

    @property
    def _filler(self) -> Path:
        return self._folder / "filler"

    def fill(self) -> None:
        """From now on no log can grow by more than `LEAST`."""
        if not self._is_mounted:
            self._limit_files(LEAST)
            return
        with self._filler.open("ab", buffering=0) as filler:
            for size in (MEBIBYTE, 4_096, 1):
                try:
                    while filler.write(bytes(size)):
                        pass
                except OSError as error:
                    assert error.errno == errno.ENOSPC, error

    def empty(self) -> None:
        """There is room again."""
        if self._is_mounted:
            self._filler.unlink(missing_ok=True)
        elif self.gateway.is_running:
            self._limit_files(resource.RLIM_INFINITY)

    def _limit_files(self, size: int) -> None:
        pid = self.gateway.process.pid
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, most))

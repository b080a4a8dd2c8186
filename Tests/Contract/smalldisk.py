"""A data folder on a disk that can be filled: a small tmpfs where mounts are permitted, else a limit on file
sizes."""

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
"""The bytes that can still be written to a file on a full disk: the rest of its page, or up to the limit."""


@contextlib.contextmanager
def mounted(folder: Path, size: int = SIZE) -> Iterator[bool]:
    """Mounts a tmpfs of that size on the folder; gives False if that is not permitted."""
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
    """Makes a folder read-only, even for root."""
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
    """The disk of a gateway, which tests fill and empty."""

    def __init__(self, folder: Path, is_mounted: bool) -> None:
        self.gateway: LastingGateway
        self._folder, self._is_mounted = folder, is_mounted

    @property
    def _filler(self) -> Path:
        return self._folder / "filler"

    def fill(self) -> None:
        """Lets logs grow by no more than `LEAST`."""
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
        """Frees the disk."""
        if self._is_mounted:
            self._filler.unlink(missing_ok=True)
        elif self.gateway.is_running:
            self._limit_files(resource.RLIM_INFINITY)

    def _limit_files(self, size: int) -> None:
        pid = self.gateway.process.pid
        _, most = resource.prlimit(pid, resource.RLIMIT_FSIZE)
        resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, most))

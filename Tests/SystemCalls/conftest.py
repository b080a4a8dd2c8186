"""A gateway under strace, with full durability."""

from __future__ import annotations

import shlex
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from lasting import LastingGateway
from calls import CALLS, Trace

pytest_plugins = ["gateway_fixtures"]


class TracedGateway(LastingGateway):
    """A gateway whose system calls are written to a file."""

    def __init__(self, executable: str, folder: Path, **limits: int) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.trace = Trace(folder / "calls")
        traced = folder / "traced"
        # The tracer is a child process, so that signals go to the gateway.
        traced.write_text(
            "#!/bin/sh\nexec strace -D -A -f -qq -y -s 4096 -e signal=none --seccomp-bpf "
            f"-e trace={','.join(CALLS)} -o {shlex.quote(str(self.trace.path))} "
            f'-- {shlex.quote(str(Path(executable).resolve()))} "$@"\n'
        )
        traced.chmod(0o755)
        super().__init__(str(traced), folder, "--durability", "full", "--reactors", "1", **limits)


@pytest.fixture
def traced(executable: str, tmp_path: Path) -> Iterator[Callable[..., TracedGateway]]:
    """Starts traced gateways, which are killed at the end."""
    running: list[TracedGateway] = []

    def make(**limits: int) -> TracedGateway:
        running.append(TracedGateway(executable, tmp_path / f"{len(running)}", **limits))
        return running[-1]

    yield make
    for gateway in running:
        gateway.kill()

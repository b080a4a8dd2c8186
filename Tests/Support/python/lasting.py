"""A gateway that is killed or stopped, and started again with the same data folder, ports and log."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
from pathlib import Path

from gateway import Gateway


class LastingGateway(Gateway):
    """One data folder, and the present process of its gateway."""

    def __init__(self, executable: str, folder: Path, *arguments: str, **limits: int) -> None:
        self.executable = executable
        super().__init__(executable, folder, *arguments, **limits)
        for name, (host, port) in {"--http": self.http, "--https": self.https}.items():
            if port:
                self.arguments[self.arguments.index(name) + 1] = f"{host}:{port}"

    @property
    def data(self) -> Path:
        return self.folder / "data"

    @property
    def is_running(self) -> bool:
        return self.process.poll() is None

    def folder_of(self, session: str) -> Path:
        """Returns the folder of a session."""
        return self.data / "sessions" / session

    def launch(self) -> None:
        """Starts the process without waiting."""
        assert not self.is_running, "it still runs"
        if self.process.stdout:
            self.process.stdout.close()
        environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")}
        with open(self.folder / "stderr", "ab") as log:
            self.process = subprocess.Popen(
                [self.executable, *self.arguments], stdout=subprocess.PIPE, stderr=log, env=environment
            )

    def start(self) -> None:
        """Starts the process and waits until it is ready."""
        self.launch()
        self.ready = self._wait_until_ready()

    def kill(self) -> None:
        """Sends SIGKILL and waits until the process is gone."""
        if self.is_running:
            self.process.send_signal(signal.SIGKILL)
        self.wait()

    def stop(self) -> None:
        """Sends SIGTERM and checks the exit code 0."""
        code = self.terminate(8)
        assert code == 0, f"exit code {code}; log: {self.log[-2000:]}"

    async def again(self, way: str) -> None:
        """Ends the gateway by `stop` or `crash` while its clients continue to read, and starts it again."""
        await asyncio.to_thread(self.stop if way == "stop" else self.kill)
        await asyncio.to_thread(self.start)

"""The gateway under test, from this package's build, started on free ports and stopped by a signal."""

from __future__ import annotations

import atexit
import json
import os
import shutil
import signal
import subprocess
import tempfile
from functools import cache
from pathlib import Path
from urllib.parse import urlsplit

ROOT = Path(__file__).resolve().parents[2]


def binary() -> Path:
    """Returns the binary in DRAWTOGETHER_BIN, else the result of `swift build`."""
    if named := os.environ.get("DRAWTOGETHER_BIN"):
        return Path(named)
    for configuration in ("release", "debug"):
        built = ROOT / ".build" / configuration / "drawtogether"
        if built.exists():
            return built
    raise FileNotFoundError("swift build first, or name the gateway in DRAWTOGETHER_BIN")


def build_page(target: Path, library: str) -> None:
    """Builds a release. `library` is the folder of the PDF library; "" builds a release without it."""
    environment = {**os.environ, "PDFJS": library}
    subprocess.run([ROOT / ".deploy/build-page", ROOT / "Public", target], check=True, env=environment)


@cache
def page() -> Path:
    """Returns the folder of the page: that in DRAWTOGETHER_PAGE, else a release. Beside the release are the sources of its
    modules, because scripts of the tests import some of them."""
    if named := os.environ.get("DRAWTOGETHER_PAGE"):
        return Path(named)
    folder = Path(tempfile.mkdtemp(prefix="drawtogether-page-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    built = folder / "Public"
    # Without the PDF library, so that the tests do not depend on the packages of the machine.
    build_page(built, library="")
    shutil.copytree(ROOT / "Public/js", built / "js", dirs_exist_ok=True)
    return built


class Gateway:
    """Runs until `stop`. `http` and `https` are its addresses, with a slash at the end; `public` is the folder that it serves."""

    def __init__(self, *flags: str, public: Path | None = None) -> None:
        self.data = tempfile.TemporaryDirectory(prefix="drawtogether-")
        self.flags = flags
        self.public = public or page()
        self.http = self.https = "//127.0.0.1:0/"
        self.start()

    def start(self) -> None:
        """Starts the gateway; after `halt`, with the same addresses and data."""
        http, https = (urlsplit(address).netloc for address in (self.http, self.https))
        # fmt: off
        command = [
            str(binary()), "serve", "--http", http, "--https", https,
            "--log-format", "json", "--data", self.data.name, "--public", str(self.public), *self.flags,
        ]
        # fmt: on
        # The gateway takes every variable with its prefix for a setting.
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DRAWTOGETHER")}
        self.process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True, env=environment)
        ready = self._ready()
        self.http = ready["http"].rstrip("/") + "/"
        self.https = ready["https"].rstrip("/") + "/"

    def _ready(self) -> dict[str, str]:
        assert self.process.stdout
        for line in self.process.stdout:
            try:
                event = json.loads(line)
            except ValueError:
                continue
            if event.get("event") == "ready":
                return event
        raise AssertionError(f"the gateway did not start: exit code {self.process.wait()}")

    def halt(self, by: signal.Signals = signal.SIGTERM) -> int:
        """Stops the gateway; it may be started again."""
        self.process.send_signal(by)
        return self.process.wait(15)

    def stop(self) -> int:
        code = self.halt()
        self.data.cleanup()
        return code

"""The Swift model over GroupActivities (Tests/Model), as a process with commands for user actions."""

from __future__ import annotations

import base64
import json
import os
import subprocess
import threading
from pathlib import Path

from conftest import until
from gateway import ROOT, Gateway


def program() -> Path:
    """Returns the program in DRAWTOGETHER_MODEL, else the result of `swift build`."""
    if named := os.environ.get("DRAWTOGETHER_MODEL"):
        return Path(named)
    for configuration in ("release", "debug"):
        built = ROOT / ".build" / configuration / "drawtogether-model"
        if built.exists():
            return built
    raise FileNotFoundError("swift build --product drawtogether-model first, or name it in DRAWTOGETHER_MODEL")


class Model:
    """Runs until `close`. `state` is its last reported state."""

    def __init__(self, gateway: Gateway) -> None:
        environment = {name: value for name, value in os.environ.items() if not name.startswith("DRAWTOGETHER")}
        environment["DRAWTOGETHER_GATEWAY"] = gateway.https
        environment["DRAWTOGETHER_GATEWAY_CERTIFICATES"] = f"{gateway.data.name}/tls-cert.pem"
        self.state: dict = {}
        self.errors: list[str] = []
        self.process = subprocess.Popen(
            [str(program())], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, env=environment
        )
        self.reader = threading.Thread(target=self._read, daemon=True)
        self.reader.start()
        until(lambda: self.state)

    def _read(self) -> None:
        assert self.process.stdout
        for line in self.process.stdout:
            try:
                told = json.loads(line)
            except ValueError:
                told = {"error": line}
            if "error" in told:
                self.errors.append(told["error"])
            else:
                self.state = {"link": None, "active": None, **told}

    def tell(self, *words: object) -> None:
        assert self.process.stdin
        self.process.stdin.write(" ".join(map(str, words)) + "\n")
        self.process.stdin.flush()

    def open(self, link: str) -> None:
        self.tell("open", link)
        until(lambda: self.state, lambda state: state["isJoined"] and state["link"] == link)

    def draw(self, points: list[tuple[float, float]]) -> None:
        for x, y in points:
            self.tell("point", x, y)
        self.tell("lift")

    def place(self, image: bytes, x: float, y: float) -> None:
        self.tell("image", x, y, base64.b64encode(image).decode())

    @property
    def strokes(self) -> dict[str, list]:
        """Returns the points of each stroke by its id."""
        return {stroke["id"]: stroke["points"] for stroke in self.state["strokes"]}

    def sees_people(self, count: int) -> None:
        until(lambda: self.state["participants"], lambda found: found == count)

    def close(self) -> None:
        assert self.process.stdin
        self.process.stdin.close()
        assert self.process.wait(15) == 0
        self.reader.join(15)
        assert not self.errors, self.errors

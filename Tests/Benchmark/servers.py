"""The measured servers, each started for one shape of load and ended after it, and the load generator."""

from __future__ import annotations

import argparse
import json
import os
import socket
import subprocess
import sys
import tempfile
import urllib.parse
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from machine import REPOSITORY, cores

PEERS = Path(__file__).resolve().parent / "peers"
SERVER_CORE, GENERATOR_CORE = cores()

# A canvas' limits are made for human speed; a load test exceeds all of them.
RAISED = {
    "--max-entries-per-second": "1000000",
    "--max-bytes-per-second": "4G",
    "--max-participants-per-session": "100000",
    "--max-connections": "100000",
    "--max-sessions": "100000",
    "--max-sessions-per-address-per-minute": "1000000",
    "--max-session-log-bytes": "4G",
    "--max-memory-bytes": "4G",
    # The generator can be faster than the disk.
    "--max-unsaved-session-bytes": "1G",
}


class Failure(Exception):
    """A run failed, with the reason."""


@dataclass(frozen=True)
class Contender:
    """A server, and the protocol to access it."""

    name: str
    kind: str
    tls: bool = False
    deflate: bool = False
    reactors: int = 1
    # The address of a server that runs already.
    address: str = ""

    @property
    def is_ours(self) -> bool:
        return self.kind == "gateway"

    @property
    def flags(self) -> list[str]:
        return (["--deflate"] if self.deflate else []) + ([] if self.is_ours else ["--peer"])

    @contextmanager
    def running(self):
        """Starts the server, gives its address and process number, and ends it. For a server that runs already, gives its
        address, and its process number if it runs on this machine."""
        if self.address:
            yield self.address, process_at(self.address)
            return
        with tempfile.TemporaryDirectory() as folder:
            command = self._command(folder)
            log = Path(folder) / "log"
            environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")}
            environment["NODE_PATH"] = "/usr/share/nodejs"
            with log.open("w") as errors:
                core = SERVER_CORE if self.reactors == 1 else None
                process = subprocess.Popen(
                    pinned(core) + command, stdout=subprocess.PIPE, stderr=errors, text=True, env=environment)  # fmt: skip
            try:
                line = process.stdout.readline()
                if not line:
                    process.wait(10)
                    raise Failure(f"it did not start: {log.read_text().strip()[-300:]}")
                yield self._address(line), process.pid
            finally:
                process.terminate()
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
                process.stdout.close()

    def _command(self, folder: str) -> list[str]:
        match self.kind:
            case "gateway":
                raised = [word for pair in RAISED.items() for word in pair]
                return [os.environ["GATEWAY"], "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--data", f"{folder}/data",
                        "--public", str(REPOSITORY / "Public"), "--log-format", "json", "--log-level", "warning",
                        "--reactors", str(self.reactors), *raised]  # fmt: skip
            case "node-ws":
                return ["node", str(PEERS / "node_ws.js")] + (["--deflate"] if self.deflate else [])
            case name:
                return [sys.executable, str(PEERS / f"{name}_peer.py")]

    def _address(self, line: str) -> str:
        if self.is_ours:
            return json.loads(line)["https" if self.tls else "http"]
        return f"http://127.0.0.1:{int(line)}"


def process_at(address: str) -> int | None:
    """Returns the process on this machine that listens on the address's port; None if there is none, or if the host is not this
    machine. The sockets of a listening process are links to `socket:[INODE]`, and /proc/net/tcp has the inodes of ports."""
    parts = urllib.parse.urlsplit(address)
    try:
        family, kind, _, _, place = socket.getaddrinfo(parts.hostname, 0, type=socket.SOCK_STREAM)[0]
        # A program can bind only addresses of its own machine.
        with socket.socket(family, kind) as probe:
            probe.bind(place)
    except OSError:
        return None
    port = parts.port or (443 if parts.scheme in ("https", "wss") else 80)
    inodes = set()
    for table in ("/proc/net/tcp", "/proc/net/tcp6"):
        for line in Path(table).read_text().splitlines()[1:]:
            words = line.split()
            if words[3] == "0A" and int(words[1].rsplit(":", 1)[1], 16) == port:
                inodes.add(f"socket:[{words[9]}]")
    for link in Path("/proc").glob("[0-9]*/fd/*"):
        try:
            if os.readlink(link) in inodes:
                return int(link.parts[2])
        except OSError:
            continue  # The process has ended, or this user may not read its links.
    return None


def peer(text: str) -> Contender:
    """Parses NAME=ADDRESS."""
    name, equals, address = text.partition("=")
    if not (name and equals and urllib.parse.urlsplit(address).hostname):
        raise argparse.ArgumentTypeError(f"{text}: expected NAME=ADDRESS, such as mine=http://127.0.0.1:9001")
    return Contender(name, "peer", tls=address.startswith(("https:", "wss:")), address=address)


OURS = Contender("ours", "gateway")
OURS_TLS = Contender("ours, TLS", "gateway", tls=True)
OURS_TWO_REACTORS = Contender("ours, two reactors", "gateway", reactors=2)
OURS_DEFLATE = Contender("ours, deflate offered", "gateway", deflate=True)
NODE = Contender("node-ws", "node-ws")
NODE_DEFLATE = Contender("node-ws, deflate offered", "node-ws", deflate=True)
WEBSOCKETS = Contender("websockets", "websockets")
PICOWS = Contender("picows", "picows")
ALL = [OURS, OURS_TLS, OURS_DEFLATE, NODE, NODE_DEFLATE, WEBSOCKETS, PICOWS]


def measure(contender: Contender, arguments: list[str]) -> dict:
    """Starts a server for the generator, and returns the generator's report."""
    with contender.running() as (address, process):
        pid = [] if process is None else ["--pid", str(process)]
        return generate([arguments[0], "--server", address, *pid, *contender.flags, *arguments[1:]])


def floor(sockets: int, seconds: float) -> dict:
    """Measures the kernel's own cost, on the server's core."""
    other = [] if GENERATOR_CORE is None else ["--reader-cpu", str(GENERATOR_CORE)]
    return generate(["floor", "--sockets", str(sockets), "--seconds", str(seconds), *other], core=SERVER_CORE)


def generate(arguments: list[str], core: int | None = GENERATOR_CORE) -> dict:
    pinning = [] if core is None else ["--cpu", str(core)]
    try:
        done = subprocess.run(
            [os.environ["BENCH"], *arguments, *pinning, "--json"], capture_output=True, text=True, timeout=900)  # fmt: skip
    except subprocess.TimeoutExpired as error:
        raise Failure("not done within 15 minutes") from error
    if done.returncode != 0:
        words = done.stderr.strip().splitlines() or [f"the generator ended with {done.returncode}"]
        raise Failure(words[-1].removeprefix("drawtogether-bench: "))
    return json.loads(done.stdout)


def pinned(core: int | None) -> list[str]:
    return [] if core is None else ["taskset", "-c", str(core)]

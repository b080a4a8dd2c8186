"""The machine and the programs of a run, printed above its figures."""

from __future__ import annotations

import importlib.metadata
import os
import platform
import re
import subprocess
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]


def cores() -> tuple[int | None, int | None]:
    """Returns the core of the server and that of the generator; None on a single core."""
    usable = sorted(os.sched_getaffinity(0))
    return (usable[0], usable[1]) if len(usable) > 1 else (None, None)


def load() -> str:
    return " ".join(f"{value:.2f}" for value in os.getloadavg())


def hardware() -> str:
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    memory = re.search(r"MemTotal:\s*(\d+)", Path("/proc/meminfo").read_text())
    gibibytes = int(memory[1]) / 1_048_576 if memory else 0
    name = model[1] if model else platform.machine()
    return f"{name}, {len(os.sched_getaffinity(0))} cores, {gibibytes:.0f} GiB, Linux {platform.release()}"


def versions() -> str:
    found = {
        "gateway": said([os.environ["GATEWAY"], "--version"]),
        "commit": said(["git", "-C", str(REPOSITORY), "describe", "--always", "--dirty"]),
        "Swift": first(r"Swift version ([\d.]+)", said(["swift", "--version"])),
        "node": said(["node", "--version"]),
        "node-ws": said(["dpkg-query", "-W", "-f", "${Version}", "node-ws"]),
        "nginx": said(["dpkg-query", "-W", "-f", "${Version}", "nginx-light"]),
        "OpenSSL": first(r"OpenSSL (\S+)", said(["openssl", "version"])),
        "Python": platform.python_version(),
    }
    found |= {name: importlib.metadata.version(name) for name in ("websockets", "picows", "uvloop")}
    return ", ".join(f"{name} {version}" for name, version in found.items())


def said(command: list[str]) -> str:
    try:
        done = subprocess.run(command, capture_output=True, text=True)
    except FileNotFoundError:
        return "unknown"
    return done.stdout.strip().removeprefix("drawtogether ") or "unknown"


def first(pattern: str, text: str) -> str:
    found = re.search(pattern, text)
    return found[1] if found else "unknown"

"""The instructions of the Dockerfile, and checks that the gateway accepts the settings in a file."""

from __future__ import annotations

import re
from pathlib import Path

from command import run
from gateway import REPOSITORY

DEPLOY = REPOSITORY / ".deploy"
DOCKERFILE = (REPOSITORY / "Dockerfile").read_text()
USER = int(re.search(r"^USER (\d+):\1$", DOCKERFILE, re.M)[1])
VOLUME = re.search(r"^VOLUME (\S+)$", DOCKERFILE, re.M)[1]
VERSION = re.search(r"^ARG VERSION=(.+)$", DOCKERFILE, re.M)[1]
EXPOSED = [int(port) for port in re.search(r"^EXPOSE (.+)$", DOCKERFILE, re.M)[1].split()]
# The time for the disk and for closing all connections.
STOP_SECONDS = 8
STYLE = "{extends: default, rules: {line-length: {max: 130}, braces: {max-spaces-inside: 0}}}"


def settings(executable: str, folder: Path, variables: dict[str, str]) -> dict[str, str]:
    """Returns the values of all flags with these variables. Fails if the gateway rejects them."""
    public = str(REPOSITORY / "Public")
    done = run(executable, "--check-config", "--data", str(folder), "--public", public, **variables)
    assert done.returncode == 0, done.stderr
    table, _, _ = done.stdout.partition("\n\n")
    return {flag: value for flag, value, _ in (line.split() for line in table.splitlines())}


def size(text: str) -> int:
    """Returns a size in bytes. `512M` and `1Gi` both use powers of 1,024."""
    number, unit = re.fullmatch(r"(\d+)([KMG]?)i?b?", text, re.I).groups()
    return int(number) << {"": 0, "K": 10, "M": 20, "G": 30}[unit.upper()]

"""Runs the program as a command that ends by itself."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path


def environment() -> dict[str, str]:
    """Returns the environment without DrawTogether's settings."""
    return {k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")}


def run(executable: str, *arguments: str, folder: Path | None = None, **variables: str) -> subprocess.CompletedProcess[str]:
    """Runs a command to its end, with only the given settings in the environment."""
    command = [executable, *arguments]
    return subprocess.run(command, capture_output=True, text=True, timeout=60, cwd=folder, env=environment() | variables)

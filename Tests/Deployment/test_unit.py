"""The unit for systemd: that systemd reads it and finds little exposed, and that the gateway takes what is in it."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path

import pytest

from deployed import DEPLOY, STOP_SECONDS, settings

UNIT = (DEPLOY / "drawtogether.service").read_text()


@pytest.fixture
def unit(executable: str, tmp_path: Path) -> Path:
    """The unit with a program that is there; the rest is as it stands."""
    path = tmp_path / "drawtogether.service"
    path.write_text(UNIT.replace("ExecStart=/usr/local/bin/drawtogether\n", f"ExecStart={executable}\n"))
    assert executable in path.read_text()
    return path


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)


def test_systemd_knows_all_that_is_in_it(unit: Path) -> None:
    done = analyze("verify", "--recursive-errors=no", unit)
    assert done.returncode == 0 and not done.stdout + done.stderr, done


def test_systemd_finds_little_exposed(unit: Path) -> None:
    done = analyze("security", "--offline=true", "--no-pager", "--threshold=20", unit)
    assert done.returncode == 0, done.stdout


def test_the_gateway_takes_its_settings(executable: str, tmp_path: Path) -> None:
    variables = dict(re.findall(r"^Environment=(\w+)=(.+)$", UNIT, re.M))
    folder = variables.pop("DRAWTOGETHER_DATA")
    assert folder == "/var/lib/" + re.search(r"^StateDirectory=(.+)$", UNIT, re.M)[1]
    in_force = settings(executable, tmp_path, variables)
    assert int(re.search(r"^LimitNOFILE=(\d+)$", UNIT, re.M)[1]) > 2 * int(in_force["--max-connections"])
    assert int(re.search(r"^TimeoutStopSec=(\d+)$", UNIT, re.M)[1]) > STOP_SECONDS

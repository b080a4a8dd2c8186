"""Settings: units, secrets in files, conflicts, and the output of --check-config."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from command import run
from gateway import REPOSITORY, Gateway
from polling import until

PAGE = ("--public", str(REPOSITORY / "Public"))


def table(text: str) -> dict[str, tuple[str, str]]:
    """Returns each flag's value and origin, split at white space."""
    settings, _, _ = text.partition("\n\n")
    return {flag: (value, source) for flag, value, source in (line.split() for line in settings.splitlines())}


def test_check_config_prints_each_value_and_its_origin(executable: str, tmp_path: Path) -> None:
    done = run(
        executable, "--check-config", *PAGE, "--data", str(tmp_path / "data"), "--grace-seconds", "2m",
        "--max-message-bytes=64K", "--disk-reserve-bytes", "0", "--max-connections", "100", "--max-memory-bytes=256M",
        DRAWTOGETHER_JOIN_SECONDS="8", DRAWTOGETHER_GRACE_SECONDS="9", DRAWTOGETHER_METRICS_TOKEN="hush",
        DRAWTOGETHER_HTTPS="", DRAWTOGETHER_SERVICE_HOST="10.0.0.1",
    )  # fmt: skip
    assert done.returncode == 0 and not done.stderr, done
    rows = table(done.stdout)
    assert rows["--grace-seconds"] == ("2m", "flag")
    assert rows["--max-message-bytes"] == ("64K", "flag")
    assert rows["--join-seconds"] == ("8s", "DRAWTOGETHER_JOIN_SECONDS")
    assert rows["--https"] == ("0.0.0.0:8443", "default")
    assert rows["--metrics-token"] == ("set", "DRAWTOGETHER_METRICS_TOKEN") and "hush" not in done.stdout
    assert rows["--reactors"][1] == "cores"
    assert not (tmp_path / "data").exists(), "it looked only"


def test_values_of_check_config_are_valid_input(executable: str, tmp_path: Path) -> None:
    data = ("--data", str(tmp_path / "data"))
    first = run(executable, "--check-config", *PAGE, *data, "--session-keep-seconds", "100000", "--https=off")
    rows = table(first.stdout)
    again = [f"{flag}={value}" for flag, (value, _) in rows.items() if value != "-"]
    second = run(executable, "--check-config", *again)
    assert second.returncode == 0, second
    assert {flag: value for flag, (value, _) in table(second.stdout).items()} == {
        flag: value for flag, (value, _) in rows.items()
    }


def test_check_config_works_beside_the_running_gateway(executable: str, gateway: Gateway) -> None:
    done = run(executable, "--check-config", *gateway.arguments)
    assert done.returncode == 0, done


CANNOT_BE = {
    "--https 0.0.0.0:8080": "--http 0.0.0.0:8080 and --https 0.0.0.0:8080",
    "--tls-cert /nonexistent/a.pem --tls-key /nonexistent/a.key": "/nonexistent/a.pem",
    "--tls-cert /etc/hostname --tls-key /etc/hostname": "/etc/hostname",
    "--http draw..example:80": "--http draw..example:80",
    "--public /nonexistent/page": "--public: /nonexistent/page",
    "--data /etc/hostname": "--data: the data folder /etc/hostname",
    "--metrics-token-file /nonexistent/token": "--metrics-token-file /nonexistent/token",
    "--metrics-token a --metrics-token-file b": "--metrics-token and --metrics-token-file",
    "--disk-reserve-bytes 1000T": "--disk-reserve-bytes is 1000T",
    "--max-attachment-bytes 2G --max-session-attachment-bytes 1G": "--max-session-attachment-bytes is 1G",
    "--redirect-to-https --public-url http://draw.example": "http://draw.example",
    "--session-keep-seconds 2y": '"2y" for --session-keep-seconds: expected a time from 1s to 3650d',
    "--grace-seconds 500ms": '"500ms" for --grace-seconds: expected a time from 0s to 1d',
}


@pytest.mark.parametrize("arguments", CANNOT_BE)
def test_invalid_settings_get_the_same_sentence_from_start_and_check(
    executable: str, tmp_path: Path, arguments: str
) -> None:
    # Settings that do not concern certificates need no certificate.
    listeners = [] if "tls" in arguments or "https" in arguments else ["--https", "off"]
    if "--http " not in arguments and "--https 0" not in arguments:
        listeners += ["--http", "127.0.0.1:0"]
    given = [*PAGE, "--data", str(tmp_path / "data"), *listeners, *arguments.split()]
    said = []
    for command in (["--check-config"], []):
        done = run(executable, *command, *given)
        assert done.returncode == 2, done
        said.append([line for line in done.stderr.splitlines() if ": warning: " not in line])
    assert said[0] == said[1] and len(said[0]) == 1
    assert CANNOT_BE[arguments] in said[0][0]


async def test_the_metrics_token_is_read_from_a_file_and_times_have_units(
    new_gateway, tmp_path: Path
) -> None:
    secret = tmp_path / "token"
    secret.write_text("s3cret-of-a-file\n")
    gateway: Gateway = new_gateway(
        "--metrics-token-file", str(secret), "--grace-seconds", "1h30m", "--max-attachment-bytes=3M"
    )
    assert (await gateway.get("/metrics")).status == 404
    assert (await gateway.get("/metrics", Authorization="Bearer wrong")).status == 404
    assert (await gateway.get("/metrics", Authorization="Bearer s3cret-of-a-file")).status == 200
    limits = (await gateway.get("/api/limits")).json()
    assert limits["graceSeconds"] == 5400 and limits["attachmentBytes"] == 3 << 20
    assert gateway.ready["metrics"] == "token" and "s3cret" not in json.dumps(gateway.ready) + gateway.log


async def test_the_ready_line_has_the_gateways_resources(new_gateway) -> None:
    gateway: Gateway = new_gateway("--public-url", "https://draw.example", "--trust-proxy", "1")
    ready = gateway.ready
    assert list(ready)[:4] == ["event", "http", "https", "ms"]
    assert ready["publicURL"] == "https://draw.example" and ready["trustProxy"] == 1
    assert ready["data"] == str(gateway.folder / "data") and ready["sessions"] == 0 and ready["usedBytes"] == 0
    room = os.statvfs(ready["data"])
    assert 0 < ready["freeBytes"] <= room.f_blocks * room.f_frsize


async def test_a_low_descriptor_limit_is_raised_or_reported(
    executable: str, tmp_path: Path
) -> None:
    limited = tmp_path / "limited"
    limited.write_text(f'#!/bin/sh\nulimit -Sn 256\nulimit -Hn 1024\nexec "{executable}" "$@"\n')
    limited.chmod(0o755)
    gateway = Gateway(str(limited), tmp_path / "gateway", connections=5000)
    try:
        limits = Path(f"/proc/{gateway.process.pid}/limits").read_text()
        files = next(line for line in limits.splitlines() if line.startswith("Max open files"))
        assert files.split()[3:5] == ["1024", "1024"]
        told = await until(
            # A line at the end may be incomplete.
            lambda: [
                json.loads(line) for line in gateway.log.splitlines() if "--max-connections" in line and line[-1] == "}"
            ],
            "a warning about open files",
        )
        assert len(told) == 1 and told[0]["level"] == "warning"
        assert "--max-connections 5000" in told[0]["reason"] and "process is 1024" in told[0]["reason"]
    finally:
        assert gateway.terminate() == 0

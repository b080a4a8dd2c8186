"""The Compose files: Compose accepts them, and so do the gateway and Caddy."""

from __future__ import annotations

import json
import os
import socket
import subprocess
from pathlib import Path
from typing import Any

from deployed import DEPLOY, EXPOSED, STOP_SECONDS, STYLE, VOLUME, settings, size
from gateway import Gateway
from polling import until

ALONE, WITH_CADDY = ["compose.yaml"], ["compose.yaml", "compose.caddy.yaml"]
DOMAIN = "draw.example.org"


def compose(names: list[str], *words: str, **variables: str) -> subprocess.CompletedProcess[str]:
    files = [word for name in names for word in ("-f", str(DEPLOY / name))]
    return subprocess.run(
        ["docker-compose", *files, *words], capture_output=True, text=True, check=False,
        env=os.environ | variables,
    )  # fmt: skip


def read(names: list[str], **variables: str) -> dict[str, Any]:
    """Returns the configuration that Compose reads, without warnings."""
    done = compose(names, "config", "--format", "json", **variables)
    assert done.returncode == 0 and not done.stderr, done
    return json.loads(done.stdout)


def test_the_compose_files_are_tidy_yaml() -> None:
    done = subprocess.run(
        ["yamllint", "--strict", "-d", STYLE, *DEPLOY.glob("*.yaml")], capture_output=True, text=True
    )
    assert done.returncode == 0, done.stdout


def test_without_caddy_the_gateway_publishes_its_ports_without_privileges(
    executable: str, tmp_path: Path
) -> None:
    gateway = read(ALONE)["services"]["gateway"]
    given = gateway.get("environment", {})
    in_force = settings(executable, tmp_path, given)
    ports = [int(in_force[flag].rsplit(":", 1)[1]) for flag in ("--http", "--https")]
    assert [port["target"] for port in gateway["ports"]] == ports == EXPOSED
    assert [volume["target"] for volume in gateway["volumes"]] == [VOLUME, "/backup"]
    assert gateway["read_only"] and gateway["cap_drop"] == ["ALL"]
    assert gateway["security_opt"] == ["no-new-privileges:true"]
    assert int(gateway["stop_grace_period"].removesuffix("s")) > STOP_SECONDS
    assert not any("MEMORY" in name for name in given), "the budget follows the limit"
    assert int(gateway["mem_limit"]) >= 512 << 20
    assert gateway["ulimits"]["nofile"] > int(in_force["--max-connections"]) * 2


def test_with_caddy_the_gateway_is_reachable_only_through_caddy(executable: str, tmp_path: Path) -> None:
    services = read(WITH_CADDY, DOMAIN=DOMAIN)["services"]
    in_force = settings(executable, tmp_path, services["gateway"]["environment"])
    assert not services["gateway"].get("ports")
    assert in_force["--public-url"] == f"https://{DOMAIN}" and in_force["--trust-proxy"] == "1"
    assert in_force["--https"] == "off" and in_force["--http"].endswith(":8080")
    assert sorted(port["target"] for port in services["caddy"]["ports"]) == [80, 443, 443]


def test_without_a_domain_caddy_is_not_started() -> None:
    done = compose(WITH_CADDY, "config")
    assert done.returncode != 0 and "set it to the name that points to this host" in done.stderr


async def test_the_caddyfile_serves_the_page(gateway_with, tmp_path: Path) -> None:
    """Uses the Caddyfile unchanged except for the addresses, in plain text, because no test server issues
    certificates."""
    services = read(WITH_CADDY, DOMAIN=DOMAIN)["services"]
    given = services["gateway"]["environment"]
    flags = [word for name in ("PUBLIC_URL", "TRUST_PROXY") for word in
             (f"--{name.lower().replace('_', '-')}", given[f"DRAWTOGETHER_{name}"])]  # fmt: skip
    gateway: Gateway = gateway_with(*flags)
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    mount = services["caddy"]["volumes"][0]
    assert mount["target"] == "/etc/caddy/Caddyfile" and mount["read_only"]
    told = Path(mount["source"]).read_text()
    assert "gateway:8080" in told and services["caddy"]["environment"] == {"DOMAIN": DOMAIN}
    (tmp_path / "Caddyfile").write_text(told.replace("{\n", "{\n\tadmin off\n", 1).replace("gateway:8080", gateway.host))
    # As in the image's own command.
    words = ["caddy", "run", "--config", str(tmp_path / "Caddyfile"), "--adapter", "caddyfile"]
    named = {"HOME": str(tmp_path), "DOMAIN": f":{port}"}
    caddy = subprocess.Popen(words, stderr=subprocess.DEVNULL, env=os.environ | named)
    try:

        def answers() -> str:
            asked = ["curl", "-sS", "-H", f"Host: {DOMAIN}", f"http://127.0.0.1:{port}/"]
            return subprocess.run(asked, capture_output=True, text=True, check=False).stdout

        await until(lambda: "<title>" in answers(), "Caddy brings the page")
    finally:
        caddy.terminate()
        caddy.wait(10)

"""Checks of the metrics by Prometheus itself."""

from __future__ import annotations

import asyncio
import contextlib
import json
import re
import subprocess
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import AsyncIterator
from pathlib import Path
from typing import Any

import yaml

from attachments import Journal, content
from deployed import DEPLOY, STYLE
from gateway import Gateway
from polling import until
from room import Room, note

SECRET = "open-sesame"
ALERTS = DEPLOY / "alerts.yaml"
DASHBOARD = DEPLOY / "grafana-dashboard.json"


async def busy(gateway: Gateway, room: Room) -> None:
    """Causes a value of every counter."""
    ada, ben = await room.join("Ada"), await room.join("Ben")
    ada.send(*[note(str(number)) for number in range(20)])
    await ben.got(b"19")
    await ada.committed()
    await Journal(gateway, room.id).add(content(10_000))
    assert (await gateway.get("/api/none")).status == 404


def check(text: bytes) -> None:
    """Checks that promtool prints nothing."""
    checked = subprocess.run(["promtool", "check", "metrics"], input=text, capture_output=True, check=False)
    said = (checked.stdout + checked.stderr).decode()
    assert checked.returncode == 0 and not said.strip(), said


async def test_promtool_accepts_the_metrics_before_and_after_drawing(new_gateway) -> None:
    gateway: Gateway = new_gateway()
    answer = await gateway.get("/metrics")
    assert answer.status == 200
    check(answer.body)
    async with Room(gateway) as room, Room(gateway, tls=True) as secure:
        await busy(gateway, room)
        await busy(gateway, secure)
        check((await gateway.get("/metrics")).body)


def test_promtool_accepts_the_alert_rules() -> None:
    checked = subprocess.run(["promtool", "check", "rules", ALERTS], capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and "SUCCESS" in checked.stdout, checked


def test_the_alert_rules_are_tidy_yaml() -> None:
    done = subprocess.run(
        ["yamllint", "--strict", "-d", STYLE, ALERTS], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stdout


def alert_queries() -> list[str]:
    return [rule["expr"] for group in yaml.safe_load(ALERTS.read_text())["groups"] for rule in group["rules"]]


def metrics_in(query: str) -> set[str]:
    """Returns every name in a PromQL query that is not a label, a function, a keyword or a variable of a dashboard."""
    rest = re.sub(r'"[^"]*"|\{[^}]*\}|\[[^\]]*\]|\$\w+', " ", query)
    rest = re.sub(r"\b(by|without|on|ignoring|group_left|group_right)\s*\([^)]*\)", " ", rest)
    names = set(re.findall(r"(?<![\w.:])[A-Za-z_:][\w:]*(?!\w|\s*\()", rest))
    return names - {"and", "or", "unless", "bool", "offset"}


def test_metrics_are_found_in_queries() -> None:
    query = 'sum by (le) (rate(a_bucket{kind="b"}[5m])) > 2e3 * c and on (d) up unless histogram_quantile(0.9, f) == 1'
    assert metrics_in(query) == {"a_bucket", "c", "up", "f"}


async def names_of(gateway: Gateway) -> set[str]:
    """Returns the names of all samples of a gateway after a sweep of its data folder, and those that Prometheus
    adds."""

    async def complete() -> set[str]:
        names = {name.split("{")[0] for name in await gateway.metrics()}
        return names if "drawtogether_kept_sessions" in names else set()

    return await until(complete, "a look at the data folder") | {"up"}


def dashboard_queries() -> list[str]:
    """Returns Grafana's queries, with values for its variables."""
    panels = json.loads(DASHBOARD.read_text())["panels"]
    queries = [target["expr"] for panel in panels for target in panel.get("targets", [])]
    return [query.replace("$__rate_interval", "1m").replace("$instance", ".*") for query in queries]


async def test_every_query_of_the_alert_rules_and_of_the_dashboard_names_metrics_of_a_gateway(
    new_gateway
) -> None:
    names = await names_of(new_gateway())
    for queries in (alert_queries(), dashboard_queries()):
        assert queries
        for query in queries:
            found = metrics_in(query)
            assert found and found <= names, f"{query} names {sorted(found - names)}"


def test_promtool_understands_every_query_of_the_dashboard(tmp_path: Path) -> None:
    rules = [{"record": f"panel:{number}", "expr": query} for number, query in enumerate(dashboard_queries())]
    file = tmp_path / "rules.yml"
    # JSON is YAML.
    file.write_text(json.dumps({"groups": [{"name": "dashboard", "rules": rules}]}))
    checked = subprocess.run(["promtool", "check", "rules", file], capture_output=True, text=True, check=False)
    assert checked.returncode == 0 and f"{len(rules)} rules found" in checked.stdout, checked


def test_the_panels_of_the_dashboard_have_unique_ids_and_positions() -> None:
    panels = json.loads(DASHBOARD.read_text())["panels"]
    assert len({panel["id"] for panel in panels}) == len(panels)
    cells = [
        (x, y)
        for place in (panel["gridPos"] for panel in panels)
        for x in range(place["x"], place["x"] + place["w"])
        for y in range(place["y"], place["y"] + place["h"])
    ]
    assert len(set(cells)) == len(cells) and max(x for x, _ in cells) < 24


@contextlib.asynccontextmanager
async def prometheus(folder: Path, *jobs: dict[str, Any]) -> AsyncIterator[str]:
    """Starts a Prometheus that scrapes ten times a second; gives its address."""
    folder.mkdir()
    # JSON is YAML.
    configuration = {"global": {"scrape_interval": "100ms", "scrape_timeout": "100ms"}, "scrape_configs": jobs}
    (folder / "prometheus.yml").write_text(json.dumps(configuration))
    log = folder / "log"
    with log.open("wb") as output:
        process = await asyncio.create_subprocess_exec(
            "prometheus", f"--config.file={folder}/prometheus.yml", f"--storage.tsdb.path={folder}/data",
            "--web.listen-address=127.0.0.1:0", stdout=output, stderr=output,
        )  # fmt: skip

    def address() -> str | None:
        assert process.returncode is None, log.read_text()[-2000:]
        lines = [line for line in log.read_text().splitlines() if 'msg="Listening on"' in line]
        return lines[0].split("address=")[1].split()[0] if lines else None

    try:
        yield f"http://{await until(address, 'Prometheus listens')}"
    finally:
        process.terminate()
        await process.wait()


def ask(address: str, query: str) -> float | None:
    """Returns the value of a query; None while there is none."""
    url = f"{address}/api/v1/query?{urllib.parse.urlencode({'query': query})}"
    try:
        with urllib.request.urlopen(url, timeout=20) as answer:
            found = json.load(answer)["data"]["result"]
    except urllib.error.HTTPError as error:
        # Prometheus is still starting.
        if error.code != 503:
            raise
        return None
    return float(found[0]["value"][1]) if found else None


async def test_prometheus_reads_the_metrics_with_the_token_and_over_tls(new_gateway, tmp_path: Path) -> None:
    gateway: Gateway = new_gateway("--metrics-token", SECRET)
    secret = tmp_path / "token"
    secret.write_text(SECRET)
    plain = {
        "job_name": "plain", "authorization": {"credentials_file": str(secret)},
        "static_configs": [{"targets": [gateway.host]}],
    }  # fmt: skip
    host, port = gateway.https
    secure = plain | {
        "job_name": "secure", "scheme": "https", "static_configs": [{"targets": [f"{host}:{port}"]}],
        "tls_config": {"ca_file": str(gateway.folder / "data" / "tls-cert.pem"), "server_name": "localhost"},
    }  # fmt: skip
    nobody = plain | {"job_name": "nobody"}
    del nobody["authorization"]
    async with (
        Room(gateway) as room,
        prometheus(tmp_path / "prometheus", plain, secure, nobody) as address,
    ):
        await until(lambda: ask(address, 'up{job="plain"}') == 1, "it is asked")
        await busy(gateway, room)
        for job in ("plain", "secure"):
            query = f'drawtogether_entries_received_total{{job="{job}"}}'
            await until(lambda query=query: ask(address, query) == 20, query)
            # A single scrape may time out on a busy machine.
            await until(lambda job=job: ask(address, f'up{{job="{job}"}}') == 1, f"{job} is up")
        await until(lambda: ask(address, 'up{job="nobody"}') == 0, "nobody is refused")
        quantile = 'histogram_quantile(0.9, drawtogether_fan_out_seconds_bucket{job="plain"})'
        assert 0 < await until(lambda: ask(address, quantile), "the quantile") < 30

"""What Prometheus itself thinks of the metrics."""

from __future__ import annotations

import subprocess

from gateway import Gateway


async def test_promtool_accepts_the_metrics(gateway: Gateway) -> None:
    answer = await gateway.get("/metrics")
    assert answer.status == 200
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=answer.body, capture_output=True, check=False
    )
    said = (checked.stdout + checked.stderr).decode()
    assert checked.returncode == 0 and not said.strip(), said

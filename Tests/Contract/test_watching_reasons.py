"""The reasons in the log and the metrics: of failed uploads, and of settings that do not fit the proxies."""

from __future__ import annotations

import asyncio

import pytest

from attachments import Journal, content
from gateway import Gateway, brief_seconds
from http1 import HTTPConnection, request_bytes
from logs import events, logged
from polling import until
from tus import Upload

CUT = ("gone", "stalled", "stopping")


async def begun(upload: Upload) -> HTTPConnection:
    """Begins a piece of 100,000 bytes and sends a tenth of it."""
    connection = await upload.begin(0, 100_000)
    await connection.send(content(10_000))
    await until(lambda: upload.has(10_000), "the first part arrives")
    return connection


# Uploads


async def test_a_too_large_upload_counts_as_refused_and_not_as_interrupted(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "1", attachmentBytes=100_000)
    (await (await Journal.open(gateway)).post(content(300_000), is_chunked=True)).problem(
        413, "attachment-too-large"
    )
    line = await logged(gateway, "upload failed", code="attachment-too-large")
    assert line["remote"] == "127.0.0.1" and line["attachment"]
    metrics = await gateway.metrics()
    assert metrics['drawtogether_refused_total{code="attachment-too-large"}'] == 1
    assert metrics['drawtogether_upload_failures_total{code="attachment-too-large"}'] == 1
    assert [metrics[f'drawtogether_uploads_cut_total{{reason="{reason}"}}'] for reason in CUT] == [0, 0, 0]
    assert not events(gateway, "upload cut")


async def test_the_error_of_a_body_is_logged_once(new_gateway) -> None:
    # One reactor, because others publish their figures a moment later.
    gateway: Gateway = new_gateway("--reactors", "1")
    journal = await Journal.open(gateway)
    fields = {"Content-Type": "text/plain", "Transfer-Encoding": "chunked"}
    async with await gateway.connect() as connection:
        await connection.send(request_bytes("POST", journal.path, gateway.host, fields))
        await connection.send(b"5\r\nhello\r\n")
        await logged(gateway, "upload started")
        await connection.send(b"no size\r\n")
        assert (await connection.receive()).status == 400
    await logged(gateway, "upload failed", code="bad-request")
    wrong = {"Repr_Digest": "sha-256=:" + "A" * 43 + "=:"}
    (await journal.post(b"hello", **wrong)).problem(422, "digest-mismatch")
    await logged(gateway, "upload failed", code="digest-mismatch")
    metrics = await gateway.metrics()
    for code in ("bad-request", "digest-mismatch"):
        assert metrics[f'drawtogether_upload_failures_total{{code="{code}"}}'] == 1
    assert len(events(gateway, "upload failed")) == 2 and not events(gateway, "upload cut")


async def test_stalled_uploads_and_those_at_a_stop_have_their_own_reasons(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "1", bodyStallSeconds=brief_seconds())
    journal = await Journal.open(gateway)
    async with await begun(await Upload.create(journal, 100_000)):
        line = await logged(gateway, "upload cut", reason="stalled")
    assert line["received"] == 10_000 and line["mayGoOn"]
    assert (await gateway.metrics())['drawtogether_uploads_cut_total{reason="stalled"}'] == 1
    last = await Upload.create(journal, 100_000)
    async with await begun(last):
        await asyncio.to_thread(gateway.terminate)
    told = [(line["attachment"], line["reason"]) for line in events(gateway, "upload cut")]
    assert told == [(line["attachment"], "stalled"), (last.id, "stopping")]


async def test_a_refused_upload_is_logged_with_its_client(new_gateway) -> None:
    gateway: Gateway = new_gateway("--trust-proxy", "1", attachmentsPerSession=1)
    journal = await Journal.open(gateway)
    for status in (201, 413):
        answer = await journal.post(b"a", X_Forwarded_For="192.0.2.7")
        assert answer.status == status, answer.body
    line = await logged(gateway, "refused", what="upload")
    assert line["remote"] == "192.0.2.7"


# Settings that do not fit


@pytest.mark.parametrize("host", ["127.0.0.1:8080", "evil.example", "x" * 3_000])
async def test_a_refused_host_name_is_logged_once(new_gateway, host: str) -> None:
    gateway: Gateway = new_gateway("--public-url", "https://draw.example")
    for _ in range(3):
        answer = await gateway.get("/", Host=host)
        answer.problem(421)
        assert "https://draw.example" in answer.json()["detail"]
    await logged(gateway, "request for another host", level="warning", expected="https://draw.example")
    await asyncio.to_thread(gateway.terminate)
    (line,) = events(gateway, "request for another host")
    assert line["host"] == (host if len(host) < 100 else "x" * 100 + "…")
    assert line["remote"] == "127.0.0.1" and "--public-url" in line["reason"]


@pytest.mark.parametrize("told", [{"X-Forwarded-For": "192.0.2.1"}, {"Forwarded": "for=192.0.2.1"}])
async def test_an_untrusted_proxy_is_logged_once(new_gateway, told: dict[str, str]) -> None:
    gateway: Gateway = new_gateway()
    assert (await gateway.get("/api/limits")).status == 200
    assert not events(gateway, "proxy is not trusted")
    for _ in range(3):
        assert (await gateway.request("GET", "/api/limits", told)).status == 200
    await logged(gateway, "proxy is not trusted", level="warning", remote="127.0.0.1", trustProxy=0)
    await asyncio.to_thread(gateway.terminate)
    (line,) = events(gateway, "proxy is not trusted")
    assert "--trust-proxy" in line["reason"] and next(iter(told)) in line["reason"]


async def test_a_trusted_proxy_is_not_logged(new_gateway) -> None:
    gateway: Gateway = new_gateway("--trust-proxy", "1", "--public-url", "https://draw.example")
    fields = {"Host": "draw.example", "X-Forwarded-For": "192.0.2.1"}
    assert (await gateway.request("GET", "/api/limits", fields)).status == 200
    await asyncio.to_thread(gateway.terminate)
    assert not events(gateway, "proxy is not trusted") and not events(gateway, "request for another host")

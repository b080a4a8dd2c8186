"""That the log and the metrics give the true reason: of uploads that come to nothing."""

from __future__ import annotations

import asyncio

from attachments import Journal, content
from gateway import Gateway
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


async def test_an_upload_that_turns_out_too_large_is_refused_and_not_cut(new_gateway) -> None:
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


async def test_what_is_wrong_with_a_body_is_told_once(new_gateway) -> None:
    # Others would tell what they counted a moment later.
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


async def test_a_stalled_upload_and_one_that_the_end_meets_are_not_said_to_be_gone(new_gateway) -> None:
    gateway: Gateway = new_gateway("--reactors", "1", bodyStallSeconds=1)
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


async def test_a_refused_upload_says_whose_it_was(new_gateway) -> None:
    gateway: Gateway = new_gateway("--trust-proxy", "1", attachmentsPerSession=1)
    journal = await Journal.open(gateway)
    for status in (201, 413):
        answer = await journal.post(b"a", X_Forwarded_For="192.0.2.7")
        assert answer.status == status, answer.body
    line = await logged(gateway, "refused", what="upload")
    assert line["remote"] == "192.0.2.7"

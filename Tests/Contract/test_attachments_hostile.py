"""Section 4 with hostile clients: the right error, no partial attachments, no leaked memory."""

from __future__ import annotations

import asyncio
import random

import pytest

from attachments import MEBIBYTE, Journal, chunk, content, in_chunks, sha256
from gateway import Gateway
from http1 import request_bytes
from polling import until
from room import Room, note
from slow import descriptors, most, most_growth, slow_connection
from tus import PIECE, Upload

MOST_GROWTH = 64 * MEBIBYTE
DATA = content(100_000)
GARBAGE = [
    b"xyz\r\n", b"-1\r\n", b"\r\n", b"0x10\r\n", b"5\r\nabcdefgh\r\n", b"5\nabcde\n", b"ffffffffffffffffff\r\n", b"5 5\r\nabcde\r\n",
    b"\0\0\0\0", b"GET / HTTP/1.1\r\n\r\n", b"5;" + b"x" * 100_000,
]  # fmt: skip


@pytest.mark.parametrize("garbage", GARBAGE)
async def test_garbage_between_chunks_leaves_nothing(journal: Journal, garbage: bytes) -> None:
    async with await journal.begin(Transfer_Encoding="chunked") as connection:
        await connection.send(chunk(DATA) + chunk(DATA) + garbage)
        response = await connection.receive()
        assert response.status in (400, 413)
        response.problem(response.status)
        assert response["connection"] == "close"
        assert await connection.ends() == b""
    await until(journal.is_empty, "nothing is left of it")


@pytest.mark.parametrize("garbage", GARBAGE)
async def test_garbage_between_chunks_of_a_resumable_upload_keeps_the_valid_bytes(
    journal: Journal, garbage: bytes
) -> None:
    upload = await Upload.create(journal, 400_000)
    data = content(400_000)
    async with await upload.begin(0, 0, Content_Length=None, Transfer_Encoding="chunked") as connection:
        await connection.send(chunk(data[:150_000]) + garbage)
        response = await connection.receive()
        assert response.status in (400, 413)
        assert response["connection"] == "close"
    if garbage.startswith(b"5\r\n"):
        # These invalid bytes begin like a valid chunk of five bytes, which may count.
        assert await upload.offset() <= 150_005
        return
    await until(lambda: upload.has(150_000), "what was right is kept")
    await upload.send(data[150_000:], 150_000)
    assert sha256((await journal.read(upload.id)).body) == sha256(data)


async def test_bytes_behind_the_declared_length_are_another_request(journal: Journal) -> None:
    async with await journal.begin(Content_Length="100") as connection:
        await connection.send(DATA)
        journal.added(await connection.receive(), DATA[:100])
        (await connection.receive()).problem(400)
        assert await connection.ends() == b""
    assert len(await journal.list()) == 1


async def test_requests_behind_an_upload_are_answered_in_order(journal: Journal) -> None:
    host = journal.gateway.host
    large = content(700_000)
    requests = [
        request_bytes("POST", journal.path, host, {}, DATA),
        request_bytes("GET", "/healthz", host),
        request_bytes("POST", journal.path, host, {"Transfer-Encoding": "chunked"}, in_chunks(large)),
        request_bytes("GET", journal.path, host),
        request_bytes("POST", journal.path, host, {"Attachment-Metadata": "!"}, b""),
        request_bytes("POST", journal.path, host, {}, b""),
        request_bytes("HEAD", journal.path, host),
        request_bytes("GET", "/healthz", host, {"Connection": "close"}),
    ]
    async with await journal.gateway.connect() as connection:
        sending = asyncio.create_task(connection.send(b"".join(requests)))
        answers = [await connection.receive(head=n == 6) for n in range(8)]
        await sending
        assert await connection.ends() == b""
    assert [answer.status for answer in answers] == [201, 200, 201, 200, 400, 201, 200, 200]
    journal.added(answers[0], DATA)
    journal.added(answers[2], large)
    assert len(answers[3].json()["attachments"]) == 2
    journal.added(answers[5], b"")


async def test_pieces_pipelined_on_one_connection_all_count(journal: Journal) -> None:
    data = content(1_000_000)
    upload = await Upload.create(journal, len(data))
    known = {"Tus-Resumable": "1.0.0", "Content-Type": PIECE}
    host = journal.gateway.host
    requests = [
        request_bytes(
            "PATCH", upload.path, host, known | {"Upload-Offset": str(first)}, data[first : first + 50_000]
        )
        for first in range(0, len(data), 50_000)
    ]
    async with await journal.gateway.connect() as connection:
        sending = asyncio.create_task(connection.send(b"".join(requests)))
        for n in range(20):
            response = await connection.receive()
            assert (response.status, response["upload-offset"]) == (204, str((n + 1) * 50_000))
        await sending
    assert sha256((await journal.read(upload.id)).body) == sha256(data)


async def test_after_a_refused_piece_the_connection_is_closed_or_in_sync(journal: Journal) -> None:
    upload = await Upload.create(journal, len(DATA))
    host = journal.gateway.host
    known = {"Tus-Resumable": "1.0.0", "Content-Type": PIECE}
    behind = request_bytes("GET", "/healthz", host)
    inner = b"GET /api/limits HTTP/1.1\r\nHost: " + host.encode() + b"\r\n\r\n"
    refusals = [
        ({"Upload-Offset": "5"}, 409), ({"Upload-Offset": "x"}, 400), ({"Upload-Offset": "0", "Content-Type": "a/b"}, 415),
        ({"Upload-Offset": "0", "Tus-Resumable": "0.1.0"}, 412), ({"Upload-Offset": "0", "Origin": "http://evil.example"}, 403),
        ({"Upload-Offset": "0", "Upload-Checksum": "md5 AAAA"}, 400),
    ]  # fmt: skip
    for body in (inner * 20, inner * 3_000):
        for fields, status in refusals:
            async with await journal.gateway.connect() as connection:
                await connection.send(
                    request_bytes("PATCH", upload.path, host, known | fields, body) + behind
                )
                response = await connection.receive()
                response.problem(status)
                if response.get("connection") == "close":
                    assert await connection.ends() == b"", "a body was taken for requests"
                else:
                    following = await connection.receive()
                    assert following.status == 200 and b"attachmentBytes" not in following.body, following
    assert await upload.offset() == 0


async def test_created_uploads_without_bytes_cost_little_memory(gateway: Gateway) -> None:
    journal = await Journal.open(gateway)
    before = descriptors(gateway)
    async with most_growth(gateway) as grown:
        uploads = [await Upload.create(journal, MEBIBYTE) for _ in range(50)]
        # The gateway may notice a little later that the connections are closed.
        await until(lambda: descriptors(gateway) - before < 10, "the uploads keep no descriptors open")
        assert len(await journal.list()) == 50
        await journal.add(DATA)
    assert grown[0] < most(8 * MEBIBYTE)
    for upload in uploads:
        assert (await upload.terminate()).status == 204
    assert len(await journal.list()) == 1
    await until(lambda: len(journal.files()) == 1, "nothing else is left on disk")


@pytest.mark.seconds(120)
async def test_slow_uploads_and_stalled_downloads_cost_little_memory(gateway_with) -> None:
    """P5: 200 clients that send a byte at a time, and 200 that request 8 MiB and do not read."""
    gateway: Gateway = gateway_with(attachmentsPerSession=301)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        large = await journal.add(content(8 * MEBIBYTE))
        ask = request_bytes("GET", journal.path_of(large["id"]), gateway.host)
        held = []
        try:
            async with most_growth(gateway) as grown:
                uploaders = [await journal.begin(Content_Length="1000000") for _ in range(200)]
                held += uploaders
                for _ in range(200):
                    held.append(await slow_connection(gateway))
                    await held[-1].send(ask)
                for n in range(20):
                    for uploader in uploaders:
                        await uploader.send(b"x")
                    ada.send(note(f"drawn {n}"))
                    await ben.got(f"drawn {n}".encode())
                downloaded = await journal.read(large["id"])
                assert sha256(downloaded.body) == large["sha256"]
                await journal.add(DATA)
            print(f"200 slow uploaders and 200 stalled downloaders: {grown[0] / MEBIBYTE:.1f} MiB")
            assert grown[0] < most(MOST_GROWTH)
        finally:
            for connection in held:
                connection.abort()

        async def are_gone() -> bool:
            return len(await journal.list()) == 2

        await until(are_gone, "what was cut short is gone")
        await until(lambda: len(journal.files()) == 2, "and its files")


async def test_random_requests_are_answered_and_leave_the_journal_intact(gateway: Gateway) -> None:
    chance = random.Random(4_242)
    journal = await Journal.open(gateway)
    kept = await journal.add(DATA)
    upload = await Upload.create(journal, 1_000_000)
    texts = [
        "",
        "0",
        "-1",
        "9" * 30,
        "1.0.0",
        "x",
        "=",
        ";",
        ",,",
        "\xff",
        "e30=",
        PIECE,
        "chunked",
        "*",
        '"',
        "bytes=0-",
    ]
    names = [
        "Tus-Resumable", "Upload-Length", "Upload-Offset", "Upload-Defer-Length", "Upload-Metadata", "Upload-Checksum",
        "Content-Type", "Content-Disposition", "Attachment-Id", "Attachment-Metadata", "Repr-Digest", "Range", "If-Range",
        "If-None-Match", "Participant-Token", "X-HTTP-Method-Override", "Expect", "Content-Encoding", "Upload-Concat",
    ]  # fmt: skip
    for _ in range(400):
        method = chance.choice(["GET", "HEAD", "POST", "PATCH", "OPTIONS", "PUT"])
        target = chance.choice([journal.path, upload.path, journal.path_of(kept["id"])])
        fields = {name: chance.choice(texts) for name in chance.sample(names, chance.randrange(5))}
        fields["Connection"] = "close"
        body = chance.randbytes(chance.randrange(3_000)) if method in ("POST", "PATCH", "PUT") else None
        response = await gateway.request(method, target, fields, body)
        assert 200 <= response.status <= 501 and response.status != 500, (method, target, fields, response)
        if response.status >= 400 and method != "HEAD":
            response.problem(response.status)
    assert await journal.find(kept["id"]) == kept
    assert (await journal.read(kept["id"])).body == DATA

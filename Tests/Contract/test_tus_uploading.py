"""Section 4: resumable uploads over bad connections, and with third-party clients."""

from __future__ import annotations

import asyncio
import hashlib
import io
from pathlib import Path
from typing import Any

import pytest
from tusclient.client import TusClient

from attachments import MEBIBYTE, Journal, content, in_chunks, pieces, sha256
from gateway import Gateway, brief_seconds
from http1 import HTTPConnection, request_bytes
from polling import until
from tus import PIECE, Upload, upload_metadata

FULL = 104_857_600
DATA = content(900_000)


async def cut(connection: HTTPConnection, way: str) -> None:
    if way == "reset":
        connection.reset()
    elif way == "finished":
        connection.writer.close()
    else:
        connection.writer.write_eof()
        await connection.ends()


@pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
@pytest.mark.parametrize("way", ["reset", "finished", "half closed"])
async def test_an_interrupted_body_keeps_the_received_bytes(
    journal: Journal, way: str, is_chunked: bool
) -> None:
    upload = await Upload.create(journal, len(DATA))
    offset = 0
    for size in (1, 65_536, 200_000, 300_001):
        known = {"Transfer_Encoding": "chunked", "Content_Length": None} if is_chunked else {}
        async with await upload.begin(offset, len(DATA) - offset, **known) as connection:
            piece = DATA[offset : offset + size]
            await connection.send(in_chunks(piece)[:-5] if is_chunked else piece)
            if way == "reset":
                # A reset may overtake bytes in the kernel, so the test waits until they are read.
                await until(lambda at=offset + size: upload.has(at), "it has arrived")
            await cut(connection, way)
        offset += size
        await until(lambda offset=offset: upload.has(offset), "all that was sent is kept")
        found = await journal.find(upload.id)
        assert found is not None and found["state"] == "uploading"
    await upload.send(DATA[offset:], offset)
    assert sha256((await journal.read(upload.id)).body) == sha256(DATA)


async def test_an_interrupted_creation_with_upload_keeps_the_received_bytes(journal: Journal) -> None:
    known = {"Tus_Resumable": "1.0.0", "Upload_Length": str(len(DATA)), "Content_Type": PIECE}
    async with await journal.begin(**known, Content_Length=str(len(DATA))) as connection:
        await connection.send(DATA[:400_000])
        connection.writer.close()
    (listed,) = await until(journal.list, "it is listed")
    upload = Upload(journal.gateway, journal.path_of(listed["id"]))
    await until(lambda: upload.has(400_000), "all that was sent is kept")
    await upload.send(DATA[400_000:], 400_000)
    assert sha256((await journal.read(upload.id)).body) == sha256(DATA)


async def test_the_hash_is_right_after_ten_interruptions(journal: Journal) -> None:
    data = content(5 * MEBIBYTE)
    upload = await Upload.create(journal, len(data))
    for n in range(10):
        offset = await upload.offset()
        async with await upload.begin(offset, len(data) - offset) as connection:
            await connection.send(data[offset : offset + 300_000 + n])
            await cut(connection, ("reset", "finished")[n % 2])

    async def is_finished() -> bool:
        offset = await upload.offset()
        return (await upload.patch(data[offset:], offset)).status == 204

    await until(is_finished, "what is left is taken")
    (ready,) = await journal.list()
    assert (ready["state"], ready["sha256"]) == ("ready", sha256(data))


async def test_a_newer_writer_takes_over_from_a_stalled_one(journal: Journal) -> None:
    upload = await Upload.create(journal, len(DATA))
    async with await upload.begin(0, len(DATA)) as stalled:
        await stalled.send(DATA[:300_000])
        await until(lambda: upload.has(300_000), "the first piece has arrived")
        await upload.send(DATA[300_000:600_000], 300_000)
        await stalled.send(b"\0" * 100_000)
        answer = await stalled.ends()
        assert not answer.startswith((b"HTTP/1.1 2", b"HTTP/1.1 5")), answer[:100]
    assert await upload.offset() == 600_000
    await upload.send(DATA[600_000:], 600_000)
    assert sha256((await journal.read(upload.id)).body) == sha256(DATA)


async def test_each_of_many_writers_takes_over_from_the_one_before(journal: Journal) -> None:
    upload = await Upload.create(journal, len(DATA))
    held: list[HTTPConnection] = []
    try:
        for offset in range(0, len(DATA), 90_000):
            held.append(await upload.begin(offset, len(DATA) - offset))
            await held[-1].send(DATA[offset : offset + 90_000])
            if offset + 90_000 < len(DATA):
                await until(lambda at=offset + 90_000: upload.has(at), "the piece has arrived")
        assert (await held[-1].receive()).status == 204
        for connection in held[:-1]:
            await connection.ends()
    finally:
        for connection in held:
            connection.abort()
    assert sha256((await journal.read(upload.id)).body) == sha256(DATA)


async def test_head_and_a_wrong_offset_do_not_disturb_the_writer(journal: Journal) -> None:
    upload = await Upload.create(journal, len(DATA))
    async with await upload.begin(0, len(DATA)) as connection:
        for n, piece in enumerate(pieces(DATA, 100_000)):
            await connection.send(piece)
            if n < 8:
                await until(lambda n=n: upload.has((n + 1) * 100_000), "the piece has arrived")
                await journal.list()
                wrong = await upload.patch(b"x", 7)
                assert wrong.problem(409, "offset-mismatch")["offset"] == (n + 1) * 100_000
        assert (await connection.receive()).status == 204
    assert sha256((await journal.read(upload.id)).body) == sha256(DATA)


async def test_a_stalled_body_is_ended_and_resumed(gateway_with) -> None:
    # Both uploads must be listed within this time.
    gateway: Gateway = gateway_with(bodyStallSeconds=brief_seconds())
    journal = await Journal.open(gateway)
    upload = await Upload.create(journal, len(DATA))
    async with (
        await upload.begin(0, len(DATA)) as resumable, await journal.begin(Content_Length="10") as at_once
    ):  # fmt: skip
        await resumable.send(DATA[:300_000])
        await at_once.send(b"12345")
        await until(lambda: _lists(journal, 2), "both are listed")
        for connection in (resumable, at_once):
            if answer := await connection.ends():
                assert answer.startswith(b"HTTP/1.1 408"), answer[:100]
    await until(lambda: _lists(journal, 1), "the one in one request is gone")
    assert await upload.offset() == 300_000
    await upload.send(DATA[300_000:], 300_000)
    assert sha256((await journal.read(upload.id)).body) == sha256(DATA)


@pytest.mark.seconds(120)
async def test_100_mib_in_pieces_of_1_mib_on_one_connection(journal: Journal) -> None:
    gateway = journal.gateway
    upload = await Upload.create(journal, FULL, Upload_Metadata=upload_metadata(filename="large.bin"))
    digest = hashlib.sha256()
    async with await gateway.connect() as connection:
        for n in range(100):
            piece = content(MEBIBYTE, seed=n)
            digest.update(piece)
            fields = {
                "Tus-Resumable": "1.0.0", "Content-Type": PIECE, "Upload-Offset": str(n * MEBIBYTE),
            }  # fmt: skip
            await connection.send(request_bytes("PATCH", upload.path, gateway.host, fields, piece))
            response = await connection.receive()
            assert (response.status, response["upload-offset"]) == (204, str((n + 1) * MEBIBYTE))
    (ready,) = await journal.list()
    assert (ready["state"], ready["size"], ready["sha256"]) == ("ready", FULL, digest.hexdigest())
    assert sha256((await journal.read(upload.id)).body) == digest.hexdigest()
    (await Upload.creation(journal, FULL + 1)).problem(413, "attachment-too-large")


@pytest.mark.seconds(120)
@pytest.mark.parametrize("size", [0, 1, 3 * MEBIBYTE + 5, FULL])
@pytest.mark.parametrize("is_checked", [False, True], ids=["plain", "with checksums"])
async def test_tuspy_uploads(journal: Journal, tmp_path: Path, size: int, is_checked: bool) -> None:
    if size == FULL and is_checked:
        size = 20 * MEBIBYTE
    data = content(size)
    file = tmp_path / "picture.png"
    file.write_bytes(data)
    client = TusClient(journal.url())
    told: dict[str, Any] = {
        "chunk_size": MEBIBYTE, "upload_checksum": is_checked,
        "metadata": {"filename": "bild ü.png", "filetype": "image/png", "metadata": '{"width": 1}'},
    }  # fmt: skip
    with file.open("rb") as stream:
        uploader = client.uploader(file_stream=stream, **told)
        await asyncio.to_thread(uploader.upload)
    (ready,) = await journal.list()
    assert (ready["state"], ready["size"], ready["sha256"]) == ("ready", size, sha256(data))
    assert (ready["name"], ready["contentType"], ready["metadata"]) == (
        "bild ü.png",
        "image/png",
        {"width": 1},
    )
    assert uploader.url is not None and uploader.url.endswith(journal.path_of(ready["id"]))
    assert sha256((await journal.read(ready["id"])).body) == sha256(data)


async def test_tuspy_resumes(journal: Journal) -> None:
    data = content(3 * MEBIBYTE)
    client = TusClient(journal.url())
    first = client.uploader(file_stream=io.BytesIO(data), chunk_size=MEBIBYTE)
    await asyncio.to_thread(first.upload_chunk)
    second = client.uploader(file_stream=io.BytesIO(data), chunk_size=MEBIBYTE, url=first.url)
    assert await asyncio.to_thread(second.get_offset) == MEBIBYTE
    await asyncio.to_thread(second.upload)
    (ready,) = await journal.list()
    assert (ready["state"], ready["sha256"]) == ("ready", sha256(data))


async def _lists(journal: Journal, count: int) -> bool:
    return len(await journal.list()) == count

"""Section 4: attachments of every size added in one request, and too large ones."""

from __future__ import annotations

import hashlib
from pathlib import Path

import pytest

from attachments import MEBIBYTE, Journal, answer_while_sending, chunk, content, in_chunks, pieces, sha256
from curl import curl
from gateway import Gateway
from http1 import request_bytes
from polling import until

SIZES = [
    0, 1, 65_535, 65_536, 65_537, 262_143, 262_144, 262_145, MEBIBYTE + 7,
]  # fmt: skip
LIMIT = 2 * MEBIBYTE + 13
FULL_LIMIT = 104_857_600
WAYS = pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
BINARY = ("-H", "Content-Type: application/octet-stream")


@pytest.fixture(scope="module")
def limited(gateway_with) -> Gateway:
    """Starts a gateway whose limit is not a multiple of a buffer size."""
    return gateway_with(attachmentBytes=LIMIT)


@WAYS
@pytest.mark.parametrize("size", SIZES)
async def test_every_size_is_returned_with_its_sha_256(gateway: Gateway, size: int, is_chunked: bool) -> None:
    journal = await Journal.open(gateway)
    data = content(size)
    attachment = await journal.add(data, is_chunked)
    response = await journal.read(attachment["id"])
    assert response.status == 200
    assert int(response["content-length"]) == size
    assert sha256(response.body) == sha256(data) == attachment["sha256"]
    assert response["etag"] == f'"{sha256(data)}"'
    assert await journal.list() == [attachment]
    assert journal.stored() == {sha256(data)}


@pytest.mark.parametrize("size", SIZES)
async def test_curl_uploads_from_a_file_and_from_its_input(
    gateway: Gateway, tmp_path: Path, size: int
) -> None:
    journal = await Journal.open(gateway)
    data = content(size, seed=1)
    file = tmp_path / "picture"
    file.write_bytes(data)
    for source, body in ((str(file), None), ("-", data)):
        posted = await curl("-X", "POST", *BINARY, "-T", source, journal.url(), body=body)
        assert posted.status == 201, posted
        assert posted.json()["sha256"] == sha256(data) and posted.json()["size"] == size
        read = await curl(journal.url(posted.json()["id"]))
        assert (read.status, sha256(read.body)) == (200, sha256(data))
    assert len(await journal.list()) == 2
    assert journal.stored() == {sha256(data)}


@pytest.mark.parametrize("size", [0, 1, MEBIBYTE + 7])
async def test_the_content_is_the_same_over_https(gateway: Gateway, size: int) -> None:
    journal = await Journal.open(gateway)
    data = content(size, seed=2)
    host = f"localhost:{gateway.https[1]}"
    async with await gateway.connect(tls=True) as connection:
        for body, fields in (
            (data, {}), (in_chunks(data, 70_001), {"Transfer-Encoding": "chunked"})
        ):  # fmt: skip
            await connection.send(request_bytes("POST", journal.path, host, fields, body))
            attachment = journal.added(await connection.receive(), data)
            await connection.send(request_bytes("GET", journal.path_of(attachment["id"]), host))
            assert (await connection.receive()).body == data


@pytest.mark.parametrize("size", [1, 7, 65_536, 300_000])
async def test_chunks_of_any_size_are_one_content(gateway: Gateway, size: int) -> None:
    journal = await Journal.open(gateway)
    data = content(3_000 if size < 100 else 600_000, seed=size)
    async with await journal.begin(Transfer_Encoding="chunked") as connection:
        await connection.send(in_chunks(data, size))
        journal.added(await connection.receive(), data)


async def test_a_body_in_single_bytes_is_accepted(gateway: Gateway) -> None:
    journal = await Journal.open(gateway)
    data = content(150)
    async with await journal.begin(Content_Length="150") as connection:
        for byte in pieces(data, 1):
            await connection.send(byte)
        journal.added(await connection.receive(), data)


async def test_http_1_0_is_accepted_and_closed(gateway: Gateway) -> None:
    journal = await Journal.open(gateway)
    async with await gateway.connect() as connection:
        head = f"POST {journal.path} HTTP/1.0\r\nHost: {gateway.host}\r\nContent-Length: 5\r\n\r\n"
        await connection.send(head.encode() + b"12345")
        journal.added(await connection.receive(), b"12345")
        assert await connection.ends() == b""


async def test_a_request_without_a_body_adds_nothing_or_an_empty_file(gateway: Gateway) -> None:
    journal = await Journal.open(gateway)
    async with await journal.begin() as connection:
        response = await connection.receive()
        if response.status == 411:
            response.problem(411)
            assert await journal.is_empty()
        else:
            journal.added(response, b"")


async def test_one_connection_serves_uploads_and_reads_in_turn(gateway: Gateway) -> None:
    journal = await Journal.open(gateway)
    async with await gateway.connect() as connection:
        for n in range(5):
            data = content(100_000 + n, seed=n)
            is_chunked = n % 2 == 1
            fields = {"Transfer-Encoding": "chunked"} if is_chunked else {}
            body = in_chunks(data) if is_chunked else data
            await connection.send(request_bytes("POST", journal.path, gateway.host, fields, body))
            attachment = journal.added(await connection.receive(), data)
            await connection.send(request_bytes("GET", journal.path_of(attachment["id"]), gateway.host))
            assert (await connection.receive()).body == data
    assert len(await journal.list()) == 5


async def test_the_list_is_in_the_order_of_adding(gateway: Gateway) -> None:
    journal = await Journal.open(gateway)
    assert await journal.list() == []
    added = [await journal.add(content(10, seed=n)) for n in range(12)]
    assert await journal.list() == added


async def test_expect_100_continue_is_answered_before_the_body(gateway: Gateway) -> None:
    journal = await Journal.open(gateway)
    data = content(200_000)
    for n in range(2):
        fields = {"Transfer_Encoding": "chunked"} if n else {"Content_Length": "200000"}
        async with await journal.begin(Expect="100-continue", **fields) as connection:
            assert (await connection.receive_informational()).status == 100
            await connection.send(in_chunks(data) if n else data)
            journal.added(await connection.receive(), data)


@WAYS
async def test_a_size_at_the_limit_is_accepted_and_one_byte_more_is_413(
    limited: Gateway, is_chunked: bool
) -> None:
    journal = await Journal.open(limited)
    data = content(LIMIT)
    attachment = await journal.add(data, is_chunked)
    assert sha256((await journal.read(attachment["id"])).body) == sha256(data)
    assert (await journal.remove(attachment["id"])).status == 204
    refused = await journal.post(content(LIMIT + 1), is_chunked)
    problem = refused.problem(413, "attachment-too-large")
    assert problem["limit"] == LIMIT
    assert problem["actual"] > LIMIT if is_chunked else problem["actual"] == LIMIT + 1
    await until(journal.is_empty, "nothing is left of it")


async def test_a_declared_length_over_the_limit_is_refused_before_the_body(limited: Gateway) -> None:
    journal = await Journal.open(limited)
    for length in (LIMIT + 1, 1 << 40, (1 << 63) - 1):
        async with await journal.begin(Content_Length=str(length)) as connection:
            refused = (await connection.receive()).problem(413, "attachment-too-large")
            assert (refused["limit"], refused["actual"]) == (LIMIT, length)
    assert await journal.is_empty()


async def test_a_refusal_replaces_100_continue(limited: Gateway) -> None:
    journal = await Journal.open(limited)
    async with await journal.begin(Expect="100-continue", Content_Length=str(LIMIT + 1)) as connection:
        first = await connection.receive_informational()
        assert first.status == 413, "no 100 is sent first"
    assert await journal.is_empty()


@pytest.mark.parametrize("times", [3, 40], ids=["a little more", "much more"])
async def test_a_too_large_chunked_body_is_answered_while_the_client_sends(
    limited: Gateway, times: int
) -> None:
    journal = await Journal.open(limited)
    piece = chunk(content(50_000))
    async with await journal.begin(Transfer_Encoding="chunked") as connection:
        response = await answer_while_sending(connection, piece, times * LIMIT // 50_000)
        problem = response.problem(413, "attachment-too-large")
        assert problem["limit"] == LIMIT and problem["actual"] > LIMIT
        assert response["connection"] == "close"
    await until(journal.is_empty, "nothing is left of it")


async def test_a_too_large_content_length_is_answered_while_the_client_sends(limited: Gateway) -> None:
    journal = await Journal.open(limited)
    async with await journal.begin(Content_Length=str(LIMIT + 1)) as connection:
        response = await answer_while_sending(connection, content(50_000), LIMIT // 50_000)
        assert response.problem(413, "attachment-too-large")["actual"] == LIMIT + 1
    assert await journal.is_empty()


async def test_curl_reports_that_a_file_is_too_large(limited: Gateway, tmp_path: Path) -> None:
    journal = await Journal.open(limited)
    file = tmp_path / "large"
    with file.open("wb") as opened:
        opened.truncate(100 * LIMIT)
    for source, body in ((str(file), None), ("-", file)):
        posted = await curl("-X", "POST", *BINARY, "-T", source, journal.url(), body=body)
        assert posted.status == 413, posted
        assert posted.json()["code"] == "attachment-too-large" and posted.json()["limit"] == LIMIT
        assert posted.sent_bytes < 100 * LIMIT, "it stopped sending"
    await until(journal.is_empty, "nothing is left of it")


@pytest.mark.seconds(120)
async def test_100_mib_are_accepted_and_one_byte_more_is_refused(gateway: Gateway, tmp_path: Path) -> None:
    journal = await Journal.open(gateway)
    file, back = tmp_path / "sent", tmp_path / "back"
    file.write_bytes(content(FULL_LIMIT))
    for source, body in ((str(file), None), ("-", file)):
        posted = await curl("-X", "POST", *BINARY, "-T", source, journal.url(), body=body)
        assert posted.status == 201, posted
        attachment = posted.json()
        assert attachment["size"] == FULL_LIMIT and attachment["sha256"] == digest_of(file)
        read = await curl("-o", str(back), journal.url(attachment["id"]))
        assert read.status == 200 and digest_of(back) == digest_of(file)
        assert (await journal.remove(attachment["id"])).status == 204
    with file.open("ab") as more:
        more.write(b"!")
    for source, body in ((str(file), None), ("-", file)):
        posted = await curl("-X", "POST", *BINARY, "-T", source, journal.url(), body=body)
        assert posted.status == 413, posted
        problem = posted.json()
        assert problem["code"] == "attachment-too-large" and problem["limit"] == FULL_LIMIT
        assert problem["actual"] >= FULL_LIMIT + 1
    await until(journal.is_empty, "nothing is left of it")


@WAYS
@pytest.mark.parametrize("size", [0, 1, 70_000, 900_000])
@pytest.mark.parametrize("way", ["reset", "finished", "half closed"])
async def test_a_body_cut_short_leaves_nothing(
    gateway: Gateway, way: str, size: int, is_chunked: bool
) -> None:
    journal = await Journal.open(gateway)
    length = {"Transfer_Encoding": "chunked"} if is_chunked else {"Content_Length": str(MEBIBYTE)}
    data = content(size)
    async with await journal.begin(**length) as connection:
        await connection.send(b"".join(map(chunk, pieces(data, 50_000))) if is_chunked else data)
        await until(journal.list, "it is listed while it uploads")
        assert all(listed["state"] == "uploading" for listed in await journal.list())
        if way == "half closed":
            connection.writer.write_eof()
            await connection.ends()
        elif way == "finished":
            connection.writer.close()
        else:
            connection.reset()
    await until(journal.is_empty, "nothing is left of it")


async def test_after_a_refused_upload_the_connection_is_closed_or_in_sync(limited: Gateway) -> None:
    """The gateway closes the connection, or its next response belongs to the next request."""
    journal = await Journal.open(limited)
    over, small = content(LIMIT + 1), content(1_000)
    first = request_bytes("POST", journal.path, limited.host, {}, over)
    wrong = request_bytes("POST", journal.path, limited.host, {"Attachment-Id": "none"}, small)
    behind = request_bytes("GET", "/healthz", limited.host)
    for refused, status in ((first, 413), (wrong, 400)):
        async with await limited.connect() as connection:
            await connection.send(refused + behind)
            response = await connection.receive()
            response.problem(status)
            if response.get("connection") == "close":
                assert await connection.ends() == b""
            else:
                assert (await connection.receive()).status == 200
    assert await journal.is_empty()


def digest_of(file: Path) -> str:
    with file.open("rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()

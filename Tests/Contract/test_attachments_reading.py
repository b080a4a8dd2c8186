"""Section 4: downloads of attachments follow the same rules as static files."""

from __future__ import annotations

import asyncio
import email.utils
import hashlib
from typing import Any

import pytest

from attachments import MEBIBYTE, SECURITY, Journal, content, sha256
from http1 import HTTPConnection, request_bytes
from polling import until
from slow import descriptors, slow_connection
from tus import Upload

DATA = content(2_048)
LARGE = content(12 * MEBIBYTE, seed=7)
CACHE = "private, max-age=31536000, immutable"


async def test_downloads_have_every_promised_field(journal: Journal) -> None:
    attachment = await journal.add(DATA, Content_Type="image/png")
    for method in ("GET", "HEAD"):
        response = await journal.gateway.request(method, journal.path_of(attachment["id"]))
        assert response.status == 200
        assert response["content-length"] == "2048" and response["accept-ranges"] == "bytes"
        assert response["etag"] == f'"{sha256(DATA)}"'
        assert response["cache-control"] == CACHE
        assert response["content-type"] == "image/png"
        assert {name: response[name] for name in SECURITY} == SECURITY
        assert response.body == (DATA if method == "GET" else b"")


async def test_url_and_location_work_in_both_letter_cases(journal: Journal) -> None:
    attachment = await journal.add(DATA)
    for target in (
        attachment["url"],
        journal.path_of(attachment["id"]),
        journal.path_of(attachment["id"].lower()),
        journal.path_of(attachment["id"]) + "?v=1",
    ):
        assert (await journal.gateway.get(target)).body == DATA, target
    assert (await journal.remove(attachment["id"].lower())).status == 204
    assert await journal.list() == []


@pytest.mark.parametrize(
    ("asked", "first", "last"),
    [("bytes=0-0", 0, 0), ("bytes=10-19", 10, 19), ("bytes=2000-", 2_000, 2_047), ("bytes=-100", 1_948, 2_047),
     ("bytes=0-99999", 0, 2_047), ("bytes=-99999", 0, 2_047), ("bytes=0-", 0, 2_047),
     ("bytes=2047-2047", 2_047, 2_047)],
)  # fmt: skip
async def test_a_range_gets_206(journal: Journal, asked: str, first: int, last: int) -> None:
    attachment = await journal.add(DATA)
    response = await journal.read(attachment["id"], Range=asked)
    assert response.status == 206
    assert response["content-range"] == f"bytes {first}-{last}/2048"
    assert response.body == DATA[first : last + 1]
    assert response["etag"] == f'"{sha256(DATA)}"' and response["cache-control"] == CACHE
    assert {name: response[name] for name in SECURITY} == SECURITY


@pytest.mark.parametrize("asked", ["bytes=2048-", "bytes=-0", "bytes=9999-10000"])
async def test_a_range_beyond_the_end_gets_416(journal: Journal, asked: str) -> None:
    attachment = await journal.add(DATA)
    response = await journal.read(attachment["id"], Range=asked)
    assert response.status == 416
    assert response["content-range"] == "bytes */2048"
    assert {name: response[name] for name in SECURITY} == SECURITY


@pytest.mark.parametrize(
    "asked", ["bytes=9-5", "bytes=", "lines=1-2", "bytes=a-b", "nonsense", "bytes=1-2-3", "bytes=--1"]
)
async def test_an_invalid_range_is_ignored(journal: Journal, asked: str) -> None:
    attachment = await journal.add(DATA)
    response = await journal.read(attachment["id"], Range=asked)
    assert response.status == 200 and response.body == DATA


async def test_several_ranges_get_all_or_the_requested_bytes(journal: Journal) -> None:
    attachment = await journal.add(DATA)
    response = await journal.read(attachment["id"], Range="bytes=0-9,20-29")
    if response.status == 200:
        assert response.body == DATA
    else:
        assert response.status == 206
        assert response["content-type"].startswith("multipart/byteranges")
        assert DATA[:10] in response.body and DATA[20:30] in response.body


async def test_ranges_of_an_empty_content(journal: Journal) -> None:
    attachment = await journal.add(b"")
    assert (await journal.read(attachment["id"])).status == 200
    response = await journal.read(attachment["id"], Range="bytes=0-0")
    assert response.status == 416 and response["content-range"] == "bytes */0"


async def test_the_ranges_of_a_large_content_form_the_content(journal: Journal) -> None:
    attachment = await journal.add(LARGE)
    parts = []
    for first in range(0, len(LARGE), 5_000_001):
        response = await journal.read(attachment["id"], Range=f"bytes={first}-{first + 5_000_000}")
        assert response.status == 206
        parts.append(response.body)
    assert b"".join(parts) == LARGE


async def test_if_range_gets_206_only_for_the_same_content(journal: Journal) -> None:
    attachment = await journal.add(DATA)
    etag = f'"{sha256(DATA)}"'
    for condition, status in (
        (etag, 206), ('"other"', 200), (f"W/{etag}", 200), ("Sat, 01 Jan 2000 00:00:00 GMT", 200), ("?", 200)
    ):  # fmt: skip
        response = await journal.read(attachment["id"], Range="bytes=1-2", If_Range=condition)
        assert response.status == status, condition
        assert response.body == (DATA[1:3] if status == 206 else DATA)


async def test_if_none_match_gets_304_with_no_body(journal: Journal) -> None:
    attachment = await journal.add(DATA)
    etag = f'"{sha256(DATA)}"'
    for condition in (etag, f"W/{etag}", f'"other", {etag}', "*"):
        for response in (
            await journal.read(attachment["id"], If_None_Match=condition),
            await journal.read(attachment["id"], If_None_Match=condition, Range="bytes=0-1"),
            await journal.head(attachment["id"], If_None_Match=condition),
        ):
            assert (response.status, response.body) == (304, b""), condition
            assert response["etag"] == etag and response["cache-control"] == CACHE
    other = await journal.read(attachment["id"], If_None_Match='"other"')
    assert (other.status, other.body) == (200, DATA)


async def test_if_match_of_another_content_gets_412(journal: Journal) -> None:
    attachment = await journal.add(DATA)
    assert (await journal.read(attachment["id"], If_Match=f'"{sha256(DATA)}"')).status == 200
    assert (await journal.read(attachment["id"], If_Match='"other"')).status == 412


async def test_last_modified_is_a_valid_date_and_gets_304(journal: Journal) -> None:
    attachment = await journal.add(DATA)
    response = await journal.read(attachment["id"])
    if (modified := response.get("last-modified")) is not None:
        assert email.utils.parsedate_tz(modified)
        again = await journal.read(attachment["id"], If_Modified_Since=modified)
        assert (again.status, again.body) == (304, b"")


async def test_attachments_are_never_compressed(journal: Journal) -> None:
    text = b"the same again and again " * 1_000
    attachment = await journal.add(text, Content_Type="text/plain")
    response = await journal.read(attachment["id"], Accept_Encoding="gzip, br")
    assert response.get("content-encoding") is None and response.body == text


async def test_an_unfinished_upload_is_not_ready(journal: Journal) -> None:
    upload = await Upload.create(journal, 100)
    await upload.send(content(40))
    async with await journal.begin(Content_Length="100") as connection:
        await connection.send(content(40))

        async def both() -> list[dict[str, Any]]:
            listed = await journal.list()
            return listed if len(listed) == 2 else []

        for attachment in await until(both, "both are listed"):
            problem = (await journal.read(attachment["id"])).problem(409, "not-ready")
            assert "detail" in problem
            assert (await journal.read(attachment["id"], Range="bytes=0-1")).status == 409
            head = await journal.head(attachment["id"])
            assert (head.status, head.body) == (409, b"")


async def test_a_missing_resource_is_404(journal: Journal) -> None:
    unknown = "0B5F8A52-98C0-4C5F-8A6E-1F2A3B4C5D6E"
    for method in ("GET", "HEAD", "DELETE", "PATCH"):
        response = await journal.gateway.request(method, journal.path_of(unknown), {}, b"")
        assert response.status in ((404,) if method != "PATCH" else (404, 412)), method
        if method != "HEAD":
            response.problem(response.status)
    assert (await Upload(journal.gateway, journal.path_of(unknown)).head()).status == 404
    problem = await Upload(journal.gateway, journal.path_of(unknown)).patch(b"x", 0)
    problem.problem(404, "not-found")


async def test_two_concurrent_downloads_are_complete(journal: Journal) -> None:
    attachment = await journal.add(LARGE)
    answers = await asyncio.gather(*[journal.read(attachment["id"]) for _ in range(4)])
    assert [sha256(answer.body) for answer in answers] == [sha256(LARGE)] * 4


async def test_a_slow_download_is_complete(journal: Journal) -> None:
    attachment = await journal.add(LARGE)
    async with await asked_slowly(journal, attachment["id"]) as connection:
        assert sha256((await journal.read(attachment["id"])).body) == sha256(LARGE)
        await gets_it_whole(connection)


async def test_an_aborted_download_leaves_no_open_file(journal: Journal) -> None:
    attachment = await journal.add(LARGE)
    before = descriptors(journal.gateway)
    for n in range(20):
        async with await asked_slowly(journal, attachment["id"]) as connection:
            if n % 2:
                connection.reset()
    assert sha256((await journal.read(attachment["id"])).body) == sha256(LARGE)
    await until(lambda: descriptors(journal.gateway) <= before + 4, "what they held open is closed")


async def test_a_download_is_complete_despite_the_removal_of_its_attachment(journal: Journal) -> None:
    attachment = await journal.add(LARGE)
    async with (
        await asked_slowly(journal, attachment["id"]) as one,
        await asked_slowly(journal, attachment["id"]) as another,
    ):
        assert (await journal.remove(attachment["id"])).status == 204
        assert await journal.list() == []
        assert (await journal.read(attachment["id"])).status == 404
        again = await journal.add(LARGE)
        assert sha256((await journal.read(again["id"])).body) == sha256(LARGE)
        assert sha256(await one.reader.readexactly(len(LARGE))) == sha256(LARGE)
        await gets_it_whole(another)


async def test_head_then_get_on_one_connection(journal: Journal) -> None:
    attachment = await journal.add(DATA)
    target = journal.path_of(attachment["id"])
    async with await journal.gateway.connect() as connection:
        requests = [request_bytes(method, target, journal.gateway.host) for method in ("HEAD", "GET") * 3]
        await connection.send(b"".join(requests))
        for n in range(6):
            response = await connection.receive(head=n % 2 == 0)
            assert response.status == 200 and response.body == (b"" if n % 2 == 0 else DATA)


async def asked_slowly(journal: Journal, attachment: str) -> HTTPConnection:
    """Requests the content over a socket with a small buffer, and reads only the head of the response."""
    connection = await slow_connection(journal.gateway)
    await connection.send(request_bytes("GET", journal.path_of(attachment), journal.gateway.host))
    head = await connection.reader.readuntil(b"\r\n\r\n")
    assert head.startswith(b"HTTP/1.1 200"), head
    return connection


async def gets_it_whole(connection: HTTPConnection) -> None:
    """Reads the body in small pieces."""
    digest, left = hashlib.sha256(), len(LARGE)
    while left:
        piece = await connection.reader.read(min(left, 10_000))
        assert piece, f"the connection ended with {left} bytes missing"
        digest.update(piece)
        left -= len(piece)
    assert digest.hexdigest() == sha256(LARGE)

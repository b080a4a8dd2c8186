"""Section 4: with `Attachment-Id` a client can repeat a request whose response was lost; `Repr-Digest` detects
damaged bodies."""

from __future__ import annotations

import asyncio
import base64
import hashlib
import uuid

import pytest

from attachments import Journal, base64_of, content, repr_digest, sha256
from http1 import request_bytes
from polling import until
from tus import Upload

DATA = content(100_000)
VALID_ID = "5C1A7E0B-93D4-4F62-8A1E-6B0D27C94F35"


def new_id() -> str:
    return str(uuid.uuid4()).upper()


@pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
async def test_a_repeated_request_returns_the_first_attachment(journal: Journal, is_chunked: bool) -> None:
    id_ = new_id()
    first = await journal.add(
        DATA, is_chunked, Attachment_Id=id_, Content_Disposition="attachment; filename=a"
    )
    assert first["id"] == id_
    again = await journal.add(DATA, is_chunked, Attachment_Id=id_.lower())
    other = await journal.post(content(5), is_chunked, Attachment_Id=id_)
    assert other.status == 201 and other["location"] == journal.path_of(id_)
    assert first == again == other.json() == await journal.find(id_)
    assert len(await journal.list()) == 1
    assert journal.stored() == {sha256(DATA)}


async def test_after_a_repeated_request_the_connection_is_closed_or_in_sync(journal: Journal) -> None:
    fields = {"Attachment-Id": new_id()}
    async with await journal.gateway.connect() as connection:
        for _ in range(3):
            await connection.send(request_bytes("POST", journal.path, journal.gateway.host, fields, DATA))
            response = await connection.receive()
            journal.added(response, DATA)
            if response.get("connection") == "close":
                return
        await connection.send(request_bytes("GET", "/healthz", journal.gateway.host))
        assert (await connection.receive()).status == 200


async def test_a_repetition_replaces_a_stalled_request(journal: Journal) -> None:
    id_ = new_id()
    async with await journal.begin(Attachment_Id=id_, Content_Length=str(len(DATA))) as stalled:
        await stalled.send(DATA[:60_000])
        await until(journal.list, "it is listed")
        attachment = await journal.add(DATA, Attachment_Id=id_)
        await stalled.send(content(40_000, seed=9))
        answer = await stalled.ends()
        assert not answer.startswith(b"HTTP/1.1 5"), answer
    assert await journal.list() == [attachment]
    assert (await journal.read(id_)).body == DATA
    assert journal.stored() == {sha256(DATA)}
    await until(lambda: len(journal.files()) == 1, "the stalled request leaves no file")


async def test_concurrent_requests_with_one_id_create_one_attachment(journal: Journal) -> None:
    id_ = new_id()
    answers = await asyncio.gather(
        *[journal.post(DATA, n % 2 == 1, Attachment_Id=id_) for n in range(10)], return_exceptions=True
    )
    taken = [answer for answer in answers if not isinstance(answer, BaseException) and answer.status == 201]
    assert taken, answers
    for answer in taken:
        assert answer["location"] == journal.path_of(id_)
    assert (await journal.add(DATA, Attachment_Id=id_))["id"] == id_
    assert len(await journal.list()) == 1
    assert (await journal.read(id_)).body == DATA
    await until(lambda: len(journal.files()) == 1, "nothing else is left on disk")


async def test_a_repeated_creation_continues_the_first_upload(journal: Journal) -> None:
    id_ = new_id()
    upload = await Upload.create(journal, len(DATA), Attachment_Id=id_)
    assert upload.id == id_
    for offset in (0, 40_000):
        again = await Upload.creation(journal, len(DATA), Attachment_Id=id_)
        assert (again.status, again["location"]) == (201, upload.path)
        assert int(again["upload-offset"]) == offset == await upload.offset()
        await upload.send(DATA[offset : offset + 40_000], offset)
    await upload.send(DATA[80_000:], 80_000)
    again = await Upload.creation(journal, len(DATA), Attachment_Id=id_)
    assert (again.status, again["location"], again["upload-offset"]) == (201, upload.path, str(len(DATA)))
    (listed,) = await journal.list()
    assert (listed["state"], listed["sha256"]) == ("ready", sha256(DATA))


async def test_a_repeated_creation_with_upload_duplicates_nothing(journal: Journal) -> None:
    id_ = new_id()
    for _ in range(3):
        response = await Upload.creation(journal, len(DATA), DATA[:50_000], Attachment_Id=id_)
        assert response.status == 201
        assert int(response["upload-offset"]) == 50_000
    upload = Upload(journal.gateway, response["location"])
    await upload.send(DATA[50_000:], 50_000)
    assert (await journal.read(id_)).body == DATA
    assert len(await journal.list()) == 1


async def test_one_request_and_tus_share_the_ids(journal: Journal) -> None:
    id_ = new_id()
    first = await journal.add(DATA, Attachment_Id=id_)
    response = await Upload.creation(journal, len(DATA), Attachment_Id=id_)
    assert (response.status, response["location"]) == (201, journal.path_of(id_))
    assert response["upload-offset"] == str(len(DATA))
    assert await journal.list() == [first]


async def test_an_id_counts_in_its_session_only(journal: Journal) -> None:
    id_, other = new_id(), await Journal.open(journal.gateway)
    await journal.add(content(1), Attachment_Id=id_)
    await other.add(content(2), Attachment_Id=id_)
    assert (await journal.read(id_)).body == content(1)
    assert (await other.read(id_)).body == content(2)


@pytest.mark.parametrize(
    "id_", ["", "none", "0", VALID_ID[:-1], VALID_ID + "0", f"{{{VALID_ID}}}", "../" + VALID_ID]
)
async def test_an_invalid_uuid_is_refused(journal: Journal, id_: str) -> None:
    (await journal.post(b"x", Attachment_Id=id_)).problem(400, "bad-request")
    (await Upload.creation(journal, 1, Attachment_Id=id_)).problem(400, "bad-request")
    assert await journal.is_empty()


@pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
async def test_a_correct_digest_is_accepted_and_a_wrong_one_leaves_nothing(
    journal: Journal, is_chunked: bool
) -> None:
    attachment = await journal.add(DATA, is_chunked, Repr_Digest=repr_digest(DATA))
    for wrong in (repr_digest(DATA[:-1]), repr_digest(b"")):
        refused = await journal.post(DATA, is_chunked, Repr_Digest=wrong)
        refused.problem(422, "digest-mismatch")
    assert await journal.list() == [attachment]
    assert journal.stored() == {sha256(DATA)}
    await until(lambda: len(journal.files()) == 1, "nothing else is left on disk")


async def test_a_wrong_digest_does_not_affect_the_same_content(journal: Journal) -> None:
    id_ = new_id()
    (await journal.post(DATA, Attachment_Id=id_, Repr_Digest=repr_digest(b""))).problem(
        422, "digest-mismatch"
    )
    assert await journal.is_empty()
    attachment = await journal.add(DATA, Attachment_Id=id_, Repr_Digest=repr_digest(DATA))
    assert (await journal.read(attachment["id"])).body == DATA


async def test_a_digest_among_others_is_found(journal: Journal) -> None:
    sha512 = f"sha-512=:{base64.b64encode(hashlib.sha512(DATA).digest()).decode()}:"
    right, wrong = repr_digest(DATA), repr_digest(b"")
    for value in (f"{sha512}, {right}", f"{right},{sha512}", f"{right};q=1"):
        await journal.add(DATA, Repr_Digest=value)
    (await journal.post(DATA, Repr_Digest=f"{sha512}, {wrong}")).problem(422, "digest-mismatch")
    assert len(await journal.list()) == 3


@pytest.mark.parametrize(
    "value",
    ["nonsense", "sha-256", "sha-256=", "sha-256=::", "sha-256=:!!!:", f"sha-256={sha256(DATA)}",
     f"sha-256=:{base64_of(b'short')}:", repr_digest(DATA)[:-1], f"sha-256=:{sha256(DATA)}:", ",", "="],
)  # fmt: skip
async def test_a_malformed_digest_is_refused(journal: Journal, value: str) -> None:
    refused = await journal.post(DATA, Repr_Digest=value)
    refused.problem(400, "bad-request")
    assert await journal.is_empty()

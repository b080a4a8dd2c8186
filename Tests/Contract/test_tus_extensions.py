"""Section 4 and tus 1.0.0: the extensions checksum, termination and expiration."""

from __future__ import annotations

import asyncio
import base64
import email.utils
import hashlib
import time

import pytest

from attachments import Journal, content, sha256
from gateway import Gateway, brief_seconds
from polling import until
from room import Room
from tus import Upload

DATA = content(1_000)


def checksum(data: bytes, algorithm: str = "sha1") -> str:
    """The value of Upload-Checksum."""
    return f"{algorithm} {base64.b64encode(hashlib.new(algorithm, data).digest()).decode()}"


@pytest.mark.parametrize("algorithm", ["sha1", "sha256"])
@pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
async def test_a_piece_with_a_wrong_checksum_is_discarded(
    journal: Journal, algorithm: str, is_chunked: bool
) -> None:
    data = content(700_000)
    upload = await Upload.create(journal, len(data))
    await upload.send(data[:100], Upload_Checksum=checksum(data[:100], algorithm))
    for _ in range(2):
        wrong = checksum(data[101:500_000], algorithm)
        refused = await upload.patch(data[100:500_000], 100, is_chunked=is_chunked, Upload_Checksum=wrong)
        assert refused.status == 460
        refused.problem(460)
        assert await upload.offset() == 100
    right = checksum(data[100:500_000], algorithm)
    await upload.send(data[100:500_000], 100, is_chunked=is_chunked, Upload_Checksum=right)
    refused = await upload.patch(data[500_000:], 500_000, Upload_Checksum=checksum(b"", algorithm))
    assert refused.status == 460
    assert await upload.offset() == 500_000
    found = await journal.find(upload.id)
    assert found is not None and found["state"] == "uploading"
    await upload.send(data[500_000:], 500_000, Upload_Checksum=checksum(data[500_000:], algorithm))
    assert sha256((await journal.read(upload.id)).body) == sha256(data)


async def test_creation_with_upload_is_checked(journal: Journal) -> None:
    response = await Upload.creation(journal, 1_000, DATA, Upload_Checksum=checksum(DATA[1:]))
    assert response.status == 460
    assert not [listed for listed in await journal.list() if listed["state"] == "ready"]
    right = await Upload.creation(journal, 1_000, DATA, Upload_Checksum=checksum(DATA))
    assert right.status == 201
    assert (await journal.read(Upload(journal.gateway, right["location"]).id)).body == DATA


@pytest.mark.parametrize(
    "value",
    ["md5 1B2M2Y8AsgTpgAmY7PhCfg==", "crc32 AAAAAA==", "sha-1 2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha1", "sha1 ", "sha1 !!!",
     "sha1 AAAA", "", "nonsense", "sha256 2jmj7l5rSw0yVb/vlWAYkK/YBwk=", "sha1  2jmj7l5rSw0yVb/vlWAYkK/YBwk= x"],
)  # fmt: skip
async def test_an_invalid_checksum_is_400(journal: Journal, value: str) -> None:
    upload = await Upload.create(journal, 1_000)
    (await upload.patch(DATA, 0, Upload_Checksum=value)).problem(400, "bad-request")
    assert await upload.offset() == 0


async def test_termination_is_final(journal: Journal) -> None:
    for arrived in (0, 400, 1_000):
        upload = await Upload.create(journal, 1_000)
        await upload.send(DATA[:arrived])
        terminated = await upload.terminate()
        assert terminated.status == 204 and terminated["tus-resumable"] == "1.0.0"
        assert (await upload.head()).status == 404
        (await upload.patch(DATA[arrived:], arrived)).problem(404, "not-found")
        (await upload.terminate()).problem(404, "not-found")
        (await journal.read(upload.id)).problem(404, "not-found")
    await until(journal.is_empty, "nothing is left")


async def test_upload_responses_have_the_expiry(journal: Journal) -> None:
    creation = await Upload.creation(journal, 1_000)
    upload = Upload(journal.gateway, creation["location"])
    for answer in (creation, await upload.send(DATA[:10])):
        told = email.utils.parsedate_to_datetime(answer["upload-expires"]).timestamp()
        assert abs(told - time.time() - 86_400) < 100


async def test_an_upload_without_progress_is_removed(gateway_with) -> None:
    # Ada must see all three attachments within this time.
    gateway: Gateway = gateway_with(uploadKeepSeconds=brief_seconds())
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        ready = await journal.add(DATA)
        idle = await Upload.create(journal, 1_000)
        begun = await Upload.create(journal, 1_000, DATA[:500])
        await ada.wait_for(lambda: len(ada.retained.attachments) == 3, "three are there")

        async def is_gone() -> bool:
            return (await idle.head()).status in (404, 410) and (await begun.head()).status in (404, 410)

        await until(is_gone, "both are removed", timeout=30)
        await ada.wait_for(lambda: set(ada.retained.attachments) == {ready["id"]}, "everybody knows")
        (await begun.patch(DATA[500:], 500)).problem(404, "not-found")
        assert await journal.list() == [ready]
        await until(
            lambda: journal.stored() == {ready["sha256"]} and len(journal.files()) == 1, "files are gone"
        )


async def test_an_upload_with_progress_is_kept(gateway_with) -> None:
    # The pauses between two pieces must be shorter than this.
    keep = brief_seconds()
    gateway: Gateway = gateway_with(uploadKeepSeconds=keep)
    journal = await Journal.open(gateway)
    loop = asyncio.get_running_loop()
    began, sent = loop.time(), 0
    upload = await Upload.create(journal, 100_000)
    while loop.time() - began < 2 * keep:
        await upload.send(b"x", sent)
        sent += 1
        await asyncio.sleep(0.009)
    assert await upload.offset() == sent

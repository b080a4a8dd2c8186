"""P6: after random uploads, downloads and removals, all slots, bytes and descriptors are free again."""

from __future__ import annotations

import asyncio
import contextlib
import random
from collections.abc import Awaitable, Callable

import pytest

from attachments import MEBIBYTE, Journal, chunk, content, pieces, repr_digest, sha256
from gateway import Gateway
from polling import until
from room import Room
from seeds import give_seeds
from slow import descriptors
from tus import Upload

QUOTA = 24 * MEBIBYTE
AT_ONCE = 6
SEEDS = [11, 12, 13]
MANY_SEEDS = [14, 15, 16, *range(200, 240)]
LOST = (ConnectionError, asyncio.IncompleteReadError)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    give_seeds(metafunc, SEEDS, MANY_SEEDS)



class Guest:
    """Performs random requests on a journal, correct, interrupted and invalid ones."""

    def __init__(self, journal: Journal, seed: int) -> None:
        self.journal, self.chance = journal, random.Random(seed)

    async def run(self, rounds: int) -> None:
        actions: list[Callable[[], Awaitable[None]]] = [
            self.add, self.add, self.cut, self.refuse, self.upload, self.upload, self.remove, self.read,
        ]  # fmt: skip
        for _ in range(rounds):
            with contextlib.suppress(*LOST):
                await self.chance.choice(actions)()

    def content(self) -> bytes:
        """Returns one of a few contents, so that many attachments have the same one."""
        size = self.chance.choice([0, 10, 70_000, 300_000, 1_000_000])
        return content(size, self.chance.randrange(2))

    async def add(self) -> None:
        response = await self.journal.post(self.content(), self.chance.random() < 0.5)
        assert response.status in (201, 404, 413, 503), response

    async def refuse(self) -> None:
        """Sends a complete upload that is refused at its end."""
        response = await self.journal.post(self.content(), Repr_Digest=repr_digest(b"another"))
        assert response.status in (404, 413, 422, 503), response

    async def cut(self) -> None:
        data = self.content()
        is_chunked = self.chance.random() < 0.5
        length = {"Transfer_Encoding": "chunked"} if is_chunked else {"Content_Length": str(len(data) + 1)}
        async with await self.journal.begin(**length) as connection:
            for piece in pieces(data[: self.chance.randrange(len(data) + 1)], 40_000):
                await connection.send(chunk(piece) if is_chunked else piece)
            if self.chance.random() < 0.5:
                connection.reset()

    async def upload(self) -> None:
        """Sends a resumable upload, which may be split, cut or abandoned."""
        data = self.content()
        length = None if self.chance.random() < 0.4 else len(data)
        creation = await Upload.creation(self.journal, length)
        if creation.status != 201:
            assert creation.status in (404, 413, 503), creation
            return
        upload = Upload(self.journal.gateway, creation["location"])
        half = self.chance.randrange(len(data) + 1)
        if self.chance.random() < 0.4:
            async with await upload.begin(0, half + 1 if length is None else max(half, 1)) as connection:
                await connection.send(data[:half])
                connection.reset()
        elif self.chance.random() < 0.8:
            response = await upload.patch(data, 0, Upload_Length=None if length else str(len(data)))
            assert response.status in (204, 404, 409, 413, 503), response
        if self.chance.random() < 0.3:
            assert (await upload.terminate()).status in (204, 404)

    async def remove(self) -> None:
        if listed := await self.journal.list():
            response = await self.journal.remove(self.chance.choice(listed)["id"])
            assert response.status in (204, 404), response

    async def read(self) -> None:
        """Reads attachments completely, while others add and remove the same content."""
        if listed := await self.journal.list():
            attachment = self.chance.choice(listed)
            response = await self.journal.read(attachment["id"])
            assert response.status in (200, 404, 409), response
            if response.status == 200:
                assert sha256(response.body) == response["etag"].strip('"')


async def test_random_requests_leave_no_resources_in_use(gateway_with, seed: int) -> None:
    gateway: Gateway = gateway_with(sessionAttachmentBytes=QUOTA, uploads=AT_ONCE)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        before = descriptors(gateway)
        await asyncio.gather(*[Guest(journal, seed * 100 + n).run(40) for n in range(5)])

        async def is_agreed() -> bool:
            return set(ada.retained.attachments) == {attachment["id"] for attachment in await journal.list()}

        await until(is_agreed, "everybody knows of those that are left")

        # The gateway may still be ending interrupted requests.
        async def is_stored() -> bool:
            return journal.stored() == {a["sha256"] for a in await journal.list() if a["state"] == "ready"}

        await until(is_stored, "the files are those of the list")
        listed = await journal.list()
        for attachment in listed:
            # An interrupted upload may expire.
            gone = (404,) if attachment["state"] == "uploading" else ()
            assert (await journal.remove(attachment["id"])).status in (204, *gone)
        await until(journal.is_empty, "nothing is left, listed or on disk")
        # The session's log, its participant's socket and the descriptors of the first request stay open.
        await until(lambda: descriptors(gateway) <= before + 4, "nothing else is left open")
        await every_place_is_free(journal)
        await ada.wait_for(lambda: not ada.retained.attachments, "nobody knows of any")


async def test_sessions_that_end_during_requests_leave_nothing(gateway_with, seed: int) -> None:
    gateway: Gateway = gateway_with(sessionAttachmentBytes=QUOTA, uploads=AT_ONCE, endedKeepSeconds=1, removalDelaySeconds=0)
    chance = random.Random(seed)
    before = descriptors(gateway)
    for n in range(4):
        async with Room(gateway) as room:
            ada = await room.join("Ada")
            journal = Journal(gateway, room.id)
            guests = [Guest(journal, seed * 1_000 + n * 10 + m) for m in range(4)]
            running = [asyncio.create_task(guest.run(1_000)) for guest in guests]
            for _ in range(chance.randrange(5, 40)):
                await asyncio.sleep(0.005)
            await ada.say(end={})
            assert (await ada.closed())[0] == 4010
            for ended in await asyncio.gather(*running, return_exceptions=True):
                # From then on every answer is 410, and 404 when the ended session is forgotten. Guests expect neither.
                answers = ("410", "There is no such session")
                assert isinstance(ended, AssertionError) and any(a in str(ended) for a in answers), ended
            await until(lambda journal=journal: not journal.folder.exists(), "its folder is gone")
    # The descriptors of the first request stay open.
    await until(lambda: descriptors(gateway) <= before + 4, "nothing else is left open")
    await every_place_is_free(await Journal.open(gateway))


async def every_place_is_free(journal: Journal) -> None:
    """Adds as many attachments, and as many bytes, as the limits allow."""
    held = [await journal.begin(Content_Length=str(QUOTA // AT_ONCE)) for _ in range(AT_ONCE)]
    try:
        for connection in held:
            await connection.send(b"x")

        async def are_listed() -> bool:
            return len(await journal.list()) == AT_ONCE

        await until(are_listed, "all of them are taken")
        assert (await journal.post(b"x")).status in (413, 503)
    finally:
        for connection in held:
            connection.abort()
    await until(journal.is_empty, "nothing is left of them")

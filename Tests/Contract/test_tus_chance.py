"""P2 for attachments: a client that randomly cuts, repeats and overlaps requests still uploads the right bytes,
once."""

from __future__ import annotations

import asyncio
import base64
import contextlib
import hashlib
import random
import uuid
from collections.abc import Awaitable, Callable

import pytest

from attachments import Journal, chunk, content, pieces, repr_digest, sha256
from gateway import Gateway, OverTLS
from http1 import HTTPConnection, Response
from polling import until
from room import Room
from seeds import give_seeds
from tus import Upload

SEEDS = [1, 2, 3, 4, 5, 6]
MANY_SEEDS = [*range(7, 13), *range(100, 160)]
LOST = (ConnectionError, asyncio.IncompleteReadError)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    give_seeds(metafunc, SEEDS, MANY_SEEDS)



class CarelessClient:
    """Uploads a content with mostly faulty requests. Checks every response."""

    def __init__(self, journal: Journal, seed: int) -> None:
        self.journal = journal
        self.chance = random.Random(seed)
        self.data = content(self.chance.choice([0, 1, 65_536, 262_144, 400_000, 1_200_000]), seed)
        self.id = str(uuid.UUID(int=self.chance.getrandbits(128), version=4)).upper()
        self.is_deferred = self.chance.random() < 0.3
        self.requests = 0
        self.upload = Upload(journal.gateway, journal.path_of(self.id))

    async def run(self) -> None:
        """Makes random requests, then completes the upload correctly."""
        await self.create()
        actions: list[Callable[[], Awaitable[None]]] = [
            self.send_a_piece, self.cut_a_piece, self.send_at_a_wrong_offset, self.send_a_wrong_checksum,
            self.overlap, self.create, self.look,
        ]  # fmt: skip
        for _ in range(self.chance.randrange(5, 25)):
            await self.chance.choice(actions)()
        await until(self.is_finished, "the upload is finished", every=0.001)

    async def create(self) -> None:
        """Creates the upload, perhaps twice, perhaps with the first bytes."""
        self.requests += 1
        with_data = self.data[: self.chance.randrange(100_000)] if self.chance.random() < 0.4 else None
        length = None if self.is_deferred else len(self.data)
        response = await Upload.creation(self.journal, length, with_data, Attachment_Id=self.id)
        assert (response.status, response["location"]) == (201, self.upload.path), response

    async def send_a_piece(self) -> None:
        offset, piece = await self.next_piece()
        response = await self.patch(piece, offset)
        assert response.status in (204, 409), response

    async def cut_a_piece(self) -> None:
        """Announces a piece and sends only a part of it."""
        offset, piece = await self.next_piece()
        arrives = piece[: self.chance.randrange(len(piece) + 1)]
        is_chunked = self.chance.random() < 0.5
        length = {"Content_Length": None, "Transfer_Encoding": "chunked"} if is_chunked else {}
        with contextlib.suppress(ConnectionError):
            async with await self.upload.begin(offset, len(piece) + 1, **length) as connection:
                for part in pieces(arrives, 30_000):
                    await connection.send(chunk(part) if is_chunked else part)
                await self.end(connection)

    async def end(self, connection: HTTPConnection) -> None:
        way = self.chance.randrange(4)
        if way == 0:
            connection.reset()
        elif way == 1:
            connection.writer.close()
        elif way == 2 and connection.writer.can_write_eof():
            connection.writer.write_eof()
            await connection.ends()
        else:
            await asyncio.sleep(0.001 * self.chance.randrange(5))
            connection.reset()

    async def send_at_a_wrong_offset(self) -> None:
        wrong = self.chance.randrange(2 * len(self.data) + 2)
        piece = self.data[wrong : wrong + 1_000]
        response = await self.patch(piece, wrong)
        if response.status == 409:
            right = response.problem(409, "offset-mismatch")["offset"]
            # A complete upload may refuse even an empty piece at the right offset.
            assert 0 <= right <= len(self.data) and (right != wrong or not piece)
        else:
            assert response.status == 204, response

    async def send_a_wrong_checksum(self) -> None:
        offset, piece = await self.next_piece()
        if not piece:
            return
        wrong = base64.b64encode(hashlib.sha1(piece + b"!").digest()).decode()
        damaged = bytes(byte ^ 0x55 for byte in piece)
        response = await self.upload.patch(damaged, offset, Upload_Checksum=f"sha1 {wrong}")
        assert response.status in (460, 409), response

    async def overlap(self) -> None:
        """Writes the same or overlapping bytes with two requests at once."""
        offset, piece = await self.next_piece()
        _, other = await self.next_piece()
        answers = await asyncio.gather(
            self.patch(piece, offset), self.patch(other, offset), return_exceptions=True
        )
        for answer in answers:
            if isinstance(answer, BaseException):
                assert isinstance(answer, LOST), answer
            else:
                # The response of the replaced writer may be a conflict about the offset.
                assert answer.status in (204, 409), answer

    async def look(self) -> None:
        assert 0 <= await self.upload.offset() <= len(self.data)
        (listed,) = await self.journal.list()
        assert listed["id"] == self.id

    async def next_piece(self) -> tuple[int, bytes]:
        offset = await self.upload.offset()
        size = self.chance.choice([0, 1, 1_000, 65_536, 300_000])
        return offset, self.data[offset : offset + size]

    async def patch(self, piece: bytes, offset: int) -> Response:
        self.requests += 1
        return await self.upload.patch(piece, offset, is_chunked=self.chance.random() < 0.4)

    async def is_finished(self) -> bool:
        """Sends the missing bytes; returns true if there are none."""
        listed = await self.journal.find(self.id)
        if listed is not None and listed["state"] == "ready":
            return True
        offset = await self.upload.offset()
        response = await self.upload.patch(
            self.data[offset:], offset, Upload_Length=str(len(self.data)) if self.is_deferred else None
        )
        assert response.status in (204, 409), response
        return response.status == 204


async def test_random_faults_leave_the_right_bytes_once(gateway: Gateway, seed: int) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        client = CarelessClient(journal, seed)
        await client.run()
        (ready,) = await journal.list()
        assert (ready["id"], ready["state"]) == (client.id, "ready")
        assert (ready["size"], ready["sha256"]) == (len(client.data), sha256(client.data))
        assert sha256((await journal.read(client.id)).body) == sha256(client.data)
        await ada.wait_for(lambda: ada.retained.attachments == {client.id: ready}, "everybody agrees")
        await until(
            lambda: [file.name for file in journal.files()] == [sha256(client.data)], "one file is left"
        )


async def test_many_careless_clients_at_once_over_tls_too(gateway: Gateway, seed: int) -> None:
    journals = [await Journal.open(OverTLS(gateway) if n % 2 else gateway) for n in range(4)]
    clients = [CarelessClient(journal, seed * 1_000 + n) for n, journal in enumerate(journals)]
    await asyncio.gather(*[client.run() for client in clients])
    for client in clients:
        (ready,) = await client.journal.list()
        assert (ready["state"], ready["sha256"]) == ("ready", sha256(client.data))
        again = await client.journal.add(client.data, Repr_Digest=repr_digest(client.data))
        assert again["id"] != client.id and client.journal.stored() == {sha256(client.data)}

"""A client whose resumable uploads continue over every restart, and arrive complete."""

from __future__ import annotations

import asyncio
import random
import uuid

from attachments import Journal, sha256
from lasting import LastingGateway
from polling import until
from story import READY, UPLOADING, Story
from tus import Upload

AWAY = (OSError, EOFError, TimeoutError)
PAUSE = 0.002


class Uploader:
    """Uploads files into one session, one after the other."""

    def __init__(self, gateway: LastingGateway, story: Story, seed: str) -> None:
        self._journal = Journal(gateway, story.session)
        self._story, self._chance = story, random.Random(seed)
        self.may_go = asyncio.Event()
        self.is_to_finish = False
        self.resumes = 0
        self.done: dict[str, str] = {}
        """The SHA-256 of each attachment."""

    async def run(self) -> None:
        """Uploads until it is stopped, and then completes the present upload."""
        while not self.is_to_finish:
            await self._upload()

    async def verify(self) -> None:
        """Checks that every uploaded attachment is listed as ready and has the right hash."""
        listed = {attachment["id"]: attachment for attachment in await self._journal.list()}
        assert listed.keys() == self.done.keys(), f"uploaded {self.done.keys()}, listed {listed}"
        for id_, digest in self.done.items():
            assert (listed[id_]["state"], listed[id_]["sha256"]) == ("ready", digest), listed[id_]
            body = (await self._journal.read(id_)).body
            assert sha256(body) == digest, f"{id_} comes back as {len(body)} other bytes"

    async def _upload(self) -> None:
        id_ = str(uuid.UUID(bytes=self._chance.randbytes(16), version=4)).upper()
        data = self._chance.randbytes(self._chance.randint(20_000, 800_000))
        known = 0
        while True:
            await self.may_go.wait()
            try:
                if (known := await self._go_on(id_, data, known)) == len(data):
                    break
            except AWAY:
                await asyncio.sleep(PAUSE)
        self.done[id_] = sha256(data)

    async def _go_on(self, id_: str, data: bytes, known: int) -> int:
        """Sends a piece and returns the number of bytes that certainly arrived. All bytes count only when the
        attachment is ready."""
        upload = Upload(self._journal.gateway, self._journal.path_of(id_))
        head = await upload.head()
        if head.status == 503:
            raise ConnectionError("the gateway drains")
        if head.status == 404:
            state = self._story.committed.attachments.get(id_, 0)
            assert state < UPLOADING, f"upload {id_} was committed and is gone"
            creation = await Upload.creation(self._journal, len(data), Attachment_Id=id_)
            assert creation.status in (201, 503), (creation, creation.body)
            return 0
        assert head.status in (200, 204), head
        offset = int(head["upload-offset"])
        assert known <= offset <= len(data), f"{known} bytes of {id_} had arrived, and {offset} are there"
        if offset < len(data):
            self.resumes += 1
            return await self._send(upload, data, offset)
        if self._story.committed.attachments.get(id_, 0) == READY:
            return offset
        await until(lambda: self._is_ready(id_), f"{id_} has all its bytes and is ready", every=PAUSE)
        return offset

    async def _send(self, upload: Upload, data: bytes, offset: int) -> int:
        """Sends one PATCH, with pauses between the parts of its body."""
        size = min(len(data) - offset, self._chance.randint(1, 200_000))
        async with await upload.begin(offset, size) as connection:
            for first in range(offset, offset + size, 20_000):
                await connection.send(data[first : min(first + 20_000, offset + size)])
                await asyncio.sleep(PAUSE)
            answer = await connection.receive()
        if answer.status == 204:
            assert int(answer["upload-offset"]) == offset + size
            # With all bytes the attachment may still not be ready.
            return min(offset + size, len(data) - 1)
        assert answer.status in (409, 503), (answer, answer.body)
        return offset

    async def _is_ready(self, id_: str) -> bool:
        found = await self._journal.find(id_)
        return found is not None and found["state"] == "ready"

"""Section 4 over restarts: attachments and unfinished uploads survive like entries."""

from __future__ import annotations

import asyncio
import base64
import email.utils
import hashlib
import uuid
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest

from attachments import MEBIBYTE, Journal, content, in_chunks, repr_digest, sha256
from client import Client
from gateway import brief_seconds
from lasting import LastingGateway
from polling import until
from room import Room, append, note
from test_restarts import WAYS, gone
from tus import Upload, upload_metadata

DATA = content(300_000)


class Folder:
    """A session with one participant, which receives `committed`."""

    def __init__(self, gateway: LastingGateway, journal: Journal, ada: Client) -> None:
        self.gateway, self.journal, self.ada = gateway, journal, ada

    async def committed(self) -> None:
        """Waits until all earlier changes are on disk."""
        self.ada.send(note("now"))
        await self.ada.committed()

    async def again(self, way: str) -> None:
        await self.gateway.again(way)
        await gone(self.ada)
        await self.ada.join()


@asynccontextmanager
async def folder(gateway: LastingGateway) -> AsyncIterator[Folder]:
    async with Room(gateway) as room:
        yield Folder(gateway, Journal(gateway, room.id), await room.join("Ada"))


def has(attachments: dict[str, Any], *ids: str) -> Callable[[], bool]:
    """Returns a condition: exactly these attachments exist."""
    return lambda: set(attachments) == set(ids)


@WAYS
async def test_attachments_survive_a_restart(lasting: LastingGateway, way: str) -> None:
    async with folder(lasting) as there:
        journal = there.journal
        token = there.ada.token or ""
        told = {"Content_Disposition": 'attachment; filename="a.png"', "Content_Type": "image/png"}
        first = await journal.add(DATA, Participant_Token=token, Repr_Digest=repr_digest(DATA), **told)
        same = await journal.add(DATA)
        empty = await journal.add(b"", is_chunked=True)
        before = [dict((await journal.read(first["id"])).fields)]
        await there.committed()
        listed = await journal.list()
        assert listed == [first, same, empty]
        await there.again(way)
        assert await journal.list() == listed
        assert there.ada.retained.attachments == {attachment["id"]: attachment for attachment in listed}
        response = await journal.read(first["id"])
        assert response.body == DATA and dict(response.fields) | {"date": ""} == before[0] | {"date": ""}
        assert (await journal.read(empty["id"])).body == b""
        assert (await journal.read(first["id"], If_None_Match=response["etag"])).status == 304
        assert (await journal.read(same["id"], Range="bytes=10-19")).body == DATA[10:20]
        assert journal.stored() == {sha256(DATA), sha256(b"")} and len(journal.files()) == 2


@WAYS
async def test_removed_attachments_and_their_files_stay_removed(lasting: LastingGateway, way: str) -> None:
    async with folder(lasting) as there:
        journal = there.journal
        kept, removed = await journal.add(content(1_000)), await journal.add(content(1_000, seed=1))
        upload = await Upload.create(journal, 1_000, content(500))
        assert (await journal.remove(removed["id"])).status == 204
        assert (await upload.terminate()).status == 204
        await there.committed()
        await there.again(way)
        assert await journal.list() == [kept]
        assert set(there.ada.retained.attachments) == {kept["id"]}
        (await journal.read(removed["id"])).problem(404, "not-found")
        (await upload.patch(content(500), 500)).problem(404, "not-found")
        await until(lambda: journal.stored() == {kept["sha256"]}, "its file is gone")
        await until(lambda: len(journal.files()) == 1, "no other file is left")


@WAYS
@pytest.mark.parametrize("is_deferred", [False, True], ids=["with its length", "length deferred"])
async def test_an_upload_continues_after_a_restart(
    lasting: LastingGateway, way: str, is_deferred: bool
) -> None:
    async with folder(lasting) as there:
        journal = there.journal
        told = upload_metadata(filename="a.bin", filetype="image/png", metadata={"location": [1, 2]})
        token = there.ada.token or ""
        length = None if is_deferred else len(DATA)
        upload = await Upload.create(
            journal, length, DATA[:1_000], Upload_Metadata=told, Participant_Token=token
        )
        await upload.send(DATA[1_000:5_000], 1_000)
        await there.committed()
        before = await journal.find(upload.id)
        sent = 5_000
        for _ in range(3):
            await there.again(way)
            assert await upload.offset() == sent
            found = await journal.find(upload.id)
            assert found is not None and before is not None
            assert found == before | {"offset": sent}
            head = await upload.head()
            if is_deferred:
                assert head["upload-defer-length"] == "1"
            else:
                assert head["upload-length"] == str(len(DATA))
            checksum = f"sha1 {base64.b64encode(hashlib.sha1(DATA[sent : sent + 7_000]).digest()).decode()}"
            await upload.send(DATA[sent : sent + 7_000], sent, Upload_Checksum=checksum)
            sent += 7_000
        declared = {"Upload_Length": str(len(DATA))} if is_deferred else {}
        await upload.send(DATA[sent:], sent, **declared)
        await until(lambda: _is_ready(journal, upload.id), "it is ready")
        ready = await journal.find(upload.id)
        assert ready is not None and ready["sha256"] == sha256(DATA)
        assert (ready["name"], ready["metadata"]) == ("a.bin", {"location": [1, 2]})
        assert ready["participant"] == there.ada.number
        assert (await journal.read(upload.id)).body == DATA
        await there.committed()
        await there.again(way)
        assert await journal.find(upload.id) == ready


@WAYS
@pytest.mark.parametrize("is_chunked", [False, True], ids=["Content-Length", "chunked"])
async def test_a_body_cut_by_a_restart_keeps_the_received_bytes(
    lasting: LastingGateway, way: str, is_chunked: bool
) -> None:
    async with folder(lasting) as there:
        journal = there.journal
        upload = await Upload.create(journal, len(DATA))
        await there.committed()
        length = {"Content_Length": None, "Transfer_Encoding": "chunked"} if is_chunked else {}
        async with await upload.begin(0, len(DATA), **length) as connection:
            piece = DATA[:200_000]
            await connection.send(in_chunks(piece)[:-5] if is_chunked else piece)
            await until(lambda: upload.has(200_000), "the bytes have arrived")
            await there.again(way)
        assert await upload.offset() == 200_000
        await upload.send(DATA[200_000:], 200_000)
        await until(lambda: _is_ready(journal, upload.id), "it is ready")
        assert (await journal.read(upload.id)).body == DATA


@WAYS
async def test_a_single_request_cut_by_a_restart_leaves_nothing(
    lasting: LastingGateway, way: str
) -> None:
    async with folder(lasting) as there:
        async with await there.journal.begin(Content_Length=str(len(DATA))) as connection:
            await connection.send(DATA[:200_000])
            await until(there.journal.list, "it is listed")
            await there.committed()
            await there.again(way)
        await until(there.journal.is_empty, "nothing is left of it")
        await there.ada.wait_for(has(there.ada.retained.attachments), "everybody knows")


@WAYS
async def test_an_upload_with_all_bytes_is_ready_after_a_restart(
    lasting: LastingGateway, way: str
) -> None:
    async with folder(lasting) as there:
        for seed in range(5):
            data = content(100_000, seed)
            upload = await Upload.create(there.journal, len(data))
            await upload.send(data[:50_000])
            await there.committed()
            await upload.send(data[50_000:], 50_000)
            await there.again(way)
            await until(lambda upload=upload: _is_ready(there.journal, upload.id), "it is ready")
            assert (await there.journal.read(upload.id)).body == data
            ready = there.ada.retained.attachments
            await there.ada.wait_for(
                lambda upload=upload, ready=ready: ready[upload.id]["state"] == "ready", "everybody knows"
            )
        await until(lambda: len(there.journal.files()) == 5, "one file for each")


@WAYS
async def test_a_repeated_creation_returns_the_first_upload(lasting: LastingGateway, way: str) -> None:
    async with folder(lasting) as there:
        journal, ready_id, begun_id = there.journal, str(uuid.uuid4()).upper(), str(uuid.uuid4()).upper()
        ready = await journal.add(DATA, Attachment_Id=ready_id)
        upload = await Upload.create(journal, 1_000, content(300), Attachment_Id=begun_id)
        await there.committed()
        await there.again(way)
        assert await journal.add(DATA, Attachment_Id=ready_id) == ready
        repeated = await Upload.creation(journal, 1_000, Attachment_Id=begun_id)
        assert repeated.status in (200, 201) and repeated["location"] == upload.path
        assert await upload.offset() == 300
        await upload.send(content(1_000)[300:], 300)
        assert len(await journal.list()) == 2


@WAYS
async def test_an_upload_without_progress_is_removed_after_a_restart_too(lasting_with, way: str) -> None:
    # The upload must still be there after the restart.
    lasting: LastingGateway = lasting_with(uploadKeepSeconds=2 * brief_seconds())
    async with folder(lasting) as there:
        journal = there.journal
        ready, upload = await journal.add(content(1_000)), await Upload.create(journal, 1_000, content(500))
        await there.committed()
        await there.again(way)
        expires = email.utils.parsedate_to_datetime((await upload.head())["upload-expires"])
        assert expires is not None
        await until(lambda: _is_gone(upload), "it is removed", timeout=40)
        await there.ada.wait_for(has(there.ada.retained.attachments, ready["id"]), "everybody knows")
        await until(lambda: len(journal.files()) == 1, "its file is gone")


@WAYS
async def test_quotas_count_attachments_from_before_a_restart(lasting_with, way: str) -> None:
    lasting: LastingGateway = lasting_with(sessionAttachmentBytes=MEBIBYTE, attachmentsPerSession=3)
    async with folder(lasting) as there:
        journal = there.journal
        kept = await journal.add(content(500_000))
        upload = await Upload.create(journal, 400_000, content(100))
        await there.committed()
        await there.again(way)
        (await journal.post(content(300_000))).problem(413, "session-quota")
        await journal.add(content(100_000))
        (await Upload.creation(journal, 1)).problem(413, "session-quota")
        await journal.remove(kept["id"])
        await journal.add(content(500_000, seed=1))
        await upload.send(content(400_000)[100:], 100)
        assert len(await journal.list()) == 3


@WAYS
async def test_unreferenced_files_are_removed(lasting: LastingGateway, way: str) -> None:
    async with folder(lasting) as there:
        journal = there.journal
        kept = await journal.add(content(1_000))
        await there.committed()
        for seed in range(1, 8):
            await journal.post(content(1_000, seed))
        uploads = [await Upload.create(journal, 1_000, content(500)) for _ in range(4)]
        await there.again(way)
        listed = await journal.list()
        assert kept in listed
        expected = {a["sha256"] for a in listed if a["state"] == "ready"}
        await until(lambda: journal.stored() == expected, f"only {len(expected)} contents are stored")
        begun = [upload for upload in uploads if (await upload.head()).status != 404]
        await until(lambda: len(journal.files()) == len(expected) + len(begun), "no other files")
        for upload in begun:
            assert await upload.offset() == 500


@pytest.mark.parametrize("when", ["at once", "after a stop", "after a crash"])
async def test_attachments_of_an_ended_session_can_be_read_but_not_added(
    lasting: LastingGateway, when: str
) -> None:
    async with folder(lasting) as there:
        journal = there.journal
        kept = await journal.add(DATA, Content_Type="image/png")
        upload = await Upload.create(journal, 1_000, content(500))
        there.ada.send(append(1, "x"))
        await there.ada.committed()
        await there.ada.say(end={})
        assert (await there.ada.closed())[0] == 4010
        if when != "at once":
            await lasting.again(when.split()[-1])
        response = await journal.read(kept["id"])
        assert response.status == 200 and response.body == DATA
        assert response["content-type"] == "image/png"
        assert (await journal.head(kept["id"]))["content-length"] == str(len(DATA))
        assert (await journal.read(kept["id"], Range="bytes=0-9")).body == DATA[:10]
        assert (await journal.read(upload.id)).status in (409, 410)
        assert (await journal.read(str(uuid.uuid4()).upper())).status in (404, 410)
        (await journal.post(b"x")).problem(410, "ended")
        (await Upload.creation(journal, 5)).problem(410, "ended")
        (await upload.patch(content(500), 500)).problem(410, "ended")
        assert (await upload.head()).status == 410
        (await journal.remove(kept["id"])).problem(410, "ended")
        assert (await journal.read(kept["id"])).body == DATA


async def test_many_uploads_are_complete_after_many_restarts(lasting: LastingGateway) -> None:
    async with folder(lasting) as there:
        contents = [content(200_000 + n, seed=n) for n in range(6)]
        uploads = [await Upload.create(there.journal, len(data)) for data in contents]
        await there.committed()
        for round_ in range(8):
            offsets = [await upload.offset() for upload in uploads]
            sends = [
                upload.patch(data[at : at + 30_000], at)
                for upload, data, at in zip(uploads, contents, offsets, strict=True)
                if at < len(data)
            ]
            sending = asyncio.gather(*sends, return_exceptions=True)
            if round_ % 2:
                await sending
            await there.again("stop" if round_ % 3 == 2 else "crash")
            await sending
        for upload, data in zip(uploads, contents, strict=True):
            if (at := await upload.offset()) < len(data):
                await upload.send(data[at:], at)
        for upload, data in zip(uploads, contents, strict=True):
            await until(lambda upload=upload: _is_ready(there.journal, upload.id), "it is ready")
            assert (await there.journal.read(upload.id)).body == data


async def _is_ready(journal: Journal, id_: str) -> bool:
    found = await journal.find(id_)
    return found is not None and found["state"] == "ready"


async def _is_gone(upload: Upload) -> bool:
    return (await upload.head()).status == 404

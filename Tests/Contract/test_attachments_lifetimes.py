"""Section 4: the lifetimes of attachments, uploads and sessions, also over the end of the gateway."""

from __future__ import annotations

import asyncio
import os
import subprocess

import pytest

from attachments import MEBIBYTE, Journal, content, sha256
from gateway import Gateway, brief_seconds
from polling import until
from room import Room, append, note
from tus import Upload, upload_metadata


async def test_a_stalled_upload_expires_despite_its_writer(gateway_with) -> None:
    gateway: Gateway = gateway_with(uploadKeepSeconds=1)
    journal = await Journal.open(gateway)
    upload = await Upload.create(journal, 1_000)
    async with await upload.begin(0, 1_000) as stalled, await journal.begin(Content_Length="1000") as other:
        await stalled.send(content(500))
        await other.send(content(500))
        await until(journal.is_empty, "both are removed")
        for connection in (stalled, other):
            await connection.send(content(500))
            if answer := await connection.ends():
                assert answer.startswith(b"HTTP/1.1 404"), answer[:100]
    assert (await upload.head()).status == 404
    assert await journal.is_empty()


async def test_reads_and_head_requests_do_not_prolong_an_upload(gateway_with) -> None:
    journal = await Journal.open(gateway_with(uploadKeepSeconds=1))
    upload = await Upload.create(journal, 1_000, content(500))

    async def is_gone() -> bool:
        await journal.read(upload.id)
        await upload.patch(b"x", 7)
        return (await upload.head()).status == 404

    await until(is_gone, "it is removed")


async def test_attachments_keep_a_session_and_are_removed_with_it(gateway_with) -> None:
    # Ada must join the new session within this time.
    gateway: Gateway = gateway_with(sessionKeepSeconds=brief_seconds(), graceSeconds=1, removalDelaySeconds=0)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        await journal.add(content(1_000))
        upload = await Upload.create(journal, 1_000, content(500))
        await ada.say(leave={})
        await ada.closed()

        async def is_over() -> bool:
            return (await gateway.get(journal.path)).status in (404, 410)

        await until(is_over, "the session is over", timeout=30)
        assert (await upload.head()).status in (404, 410)
        await until(lambda: not journal.folder.exists(), "its folder is gone")


async def test_a_token_is_refused_after_leave(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        token = ada.token
        await ada.say(leave={})
        await ada.closed()
        (await journal.post(b"x", Participant_Token=token)).problem(403, "token-needed")
        assert await journal.is_empty()


async def test_a_full_session_accepts_removals(gateway_with) -> None:
    gateway: Gateway = gateway_with(sessionLogBytes=200_000)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        attachment = await journal.add(content(1_000))
        upload = await Upload.create(journal, 1_000)
        for n in range(300):
            ada.send(append(n, "x" * 2_000))
        await ada.error()
        assert ada.errors[-1]["code"] == "session-quota"
        assert (await journal.remove(attachment["id"])).status == 204
        assert (await upload.terminate()).status == 204
        await ada.wait_for(lambda: not ada.retained.attachments, "everybody knows")
        assert await journal.is_empty()


@pytest.mark.parametrize("metadata", ["", "m" * 4_000], ids=["small", "with much metadata"])
async def test_a_thousand_attachments_are_listed_and_announced(gateway: Gateway, metadata: str) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        told = upload_metadata(filename="n" * 200, metadata=[metadata])
        for first in range(0, 1_000, 50):
            creations = [
                Upload.creation(journal, n % 2, Upload_Metadata=told) for n in range(first, first + 50)
            ]
            assert {creation.status for creation in await asyncio.gather(*creations)} == {201}
        listed = await journal.list()
        assert len(listed) == 1_000
        assert {attachment["metadata"][0] for attachment in listed} == {metadata}
        (await Upload.creation(journal, 1)).problem(413, "session-quota")
        late = await room.join("Late")
        assert late.retained.attachments == {attachment["id"]: attachment for attachment in listed}
        ada.send(note("end"))
        await late.got(b"end")
        await ada.got(b"end")
        assert ada.retained.attachments == late.retained.attachments


async def test_a_second_gateway_names_the_process_that_locks_the_folder(new_gateway, executable: str) -> None:
    gateway: Gateway = new_gateway()
    journal = await Journal.open(gateway)
    attachment = await journal.add(content(1_000))
    environment = {k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")}
    command = [executable, *gateway.arguments]
    second = subprocess.run(command, capture_output=True, text=True, timeout=20, env=environment)
    assert second.returncode != 0
    said = second.stderr + second.stdout
    assert str(gateway.process.pid) in said and str(gateway.folder / "data") in said, said
    assert (await journal.read(attachment["id"])).body == content(1_000)


@pytest.mark.parametrize("way", ["at once", "tus", "download"])
async def test_a_stopping_gateway_does_not_wait_for_stalled_uploads(new_gateway, way: str) -> None:
    gateway: Gateway = new_gateway()
    journal = await Journal.open(gateway)
    data = content(MEBIBYTE)
    attachment = await journal.add(content(12 * MEBIBYTE))
    upload = await Upload.create(journal, len(data))
    if way == "download":
        connection = await gateway.connect()
        await connection.send(
            f"GET {journal.path_of(attachment['id'])} HTTP/1.1\r\nHost: {gateway.host}\r\n\r\n"
        )
    elif way == "tus":
        connection = await upload.begin(0, len(data))
    else:
        connection = await journal.begin(Content_Length=str(len(data)))
    async with connection:
        if way != "download":
            await connection.send(data[:300_000])
        await asyncio.to_thread(lambda: _stops(gateway))


async def test_an_active_upload_is_completed_before_the_gateway_stops(lasting) -> None:
    journal = await Journal.open(lasting)
    data = content(MEBIBYTE)
    async with await journal.begin(Content_Length=str(len(data))) as connection:
        await connection.send(data[:300_000])
        await until(journal.list, "it is listed")
        stopping = asyncio.create_task(asyncio.to_thread(lambda: _stops(lasting)))
        await until(lambda: "draining" in lasting.log, "it stops")
        await connection.send(data[300_000:])
        attachment = journal.added(await connection.receive(), data)
        await stopping
    lasting.start()
    assert (await journal.read(attachment["id"])).body == data


def _stops(gateway: Gateway) -> None:
    assert gateway.terminate(timeout=9) == 0

"""Sections 3.3 and 4: attachments in the session's order, for present participants and later joiners."""

from __future__ import annotations

import asyncio
import json
import uuid
from typing import Any

import pytest

from attachments import MEBIBYTE, Journal, check_object, chunk, content
from client import Client
from gateway import Gateway
from polling import until
from room import Room, note
from tus import Upload
from wire import APPEND, EXISTING, RELIABLE, REMOVE, REPLACE, SYSTEM, Entry, Outgoing

WAYS = pytest.mark.parametrize("way", ["Content-Length", "chunked", "tus"])


def key_of(attachment: str) -> bytes:
    return uuid.UUID(attachment).bytes


def about(person: Client, attachment: str) -> list[Entry]:
    """Returns the gateway's live entries about an attachment, in their order."""
    return [
        entry
        for entry in person.received
        if entry.sender == 0
        and (
            entry.key == key_of(attachment)
            or (entry.type == "attachmentProgress" and json.loads(entry.payload)["id"] == attachment)
        )
    ]


def told(person: Client, attachment: str) -> list[dict[str, Any]]:
    """Returns the payloads of the live `attachment` entries."""
    of_it = [entry for entry in about(person, attachment) if entry.type == "attachment" and entry.is_system]
    return [json.loads(entry.payload) for entry in of_it if entry.retention != REMOVE]


async def is_ready(person: Client, attachment: str) -> dict[str, Any]:
    """Waits until this participant's state has the attachment as ready."""

    def found() -> Any:
        held = person.retained.attachments.get(attachment)
        return held if held and held["state"] == "ready" else None

    return await person.wait_for(found, "the attachment is ready")


async def is_gone(person: Client, attachment: str) -> None:
    await person.wait_for(lambda: attachment not in person.retained.attachments, "the attachment is gone")


@WAYS
async def test_uploading_and_ready_are_in_one_order_with_other_entries(gateway: Gateway, way: str) -> None:
    data = content(300_000)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        ada.send(note("before"))
        await ben.got(b"before")
        if way == "tus":
            upload = await Upload.create(journal, len(data), Participant_Token=ada.token)
            await upload.send(data)
            attachment = await journal.find(upload.id)
            assert attachment is not None
        else:
            attachment = await journal.add(data, way == "chunked", Participant_Token=ada.token)
        ada.send(note("after"))
        await ben.got(b"after")
        await ada.got(b"after")
        for person in (ada, ben):
            states = told(person, attachment["id"])
            assert [state["state"] for state in states] in (
                ["uploading", "ready"],
                ["uploading"] * 2 + ["ready"],
            )
            assert check_object(states[-1]) == attachment
            first = check_object(states[0])
            assert first["size"] == (None if way == "chunked" else len(data)) and first["offset"] == 0
            assert first["participant"] == attachment["participant"] == ada.number
            assert person.retained.attachments == {attachment["id"]: attachment}
            for entry in about(person, attachment["id"]):
                assert entry.client_sequence == 0 and entry.flags & SYSTEM
                if entry.type == "attachment":
                    assert entry.flags == RELIABLE | REPLACE | SYSTEM
            order = [entry.payload for entry in person.received if entry.type in ("Note", "attachment")]
            assert order[0] == b"before" and order[-1] == b"after"
        assert [(e.sequence, e.type, e.payload) for e in ada.received if e.is_reliable and e.type != "participants"] == [
            (e.sequence, e.type, e.payload) for e in ben.received if e.is_reliable and e.type != "participants"
        ]  # fmt: skip


async def test_an_attachment_is_ready_for_everyone_at_201(gateway: Gateway) -> None:
    """An entry sent after the response follows the attachment's entry."""
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        for n in range(10):
            attachment = await journal.add(content(1_000 + n))
            ada.send(note(f"after {n}"))
            await ben.got(f"after {n}".encode())
            assert ben.retained.attachments[attachment["id"]] == attachment


@WAYS
async def test_progress_is_sent_at_most_four_times_a_second(gateway: Gateway, way: str) -> None:
    data = content(220 * 4_096)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        loop = asyncio.get_running_loop()
        began = loop.time()
        if way == "tus":
            upload = await Upload.create(journal, len(data))
            connection = await upload.begin(0, len(data))
        elif way == "chunked":
            connection = await journal.begin(Transfer_Encoding="chunked")
        else:
            connection = await journal.begin(Content_Length=str(len(data)))
        async with connection:
            for first in range(0, len(data), 4_096):
                piece = data[first : first + 4_096]
                await connection.send(chunk(piece) if way == "chunked" else piece)
                await asyncio.sleep(0.009)
            if way == "chunked":
                await connection.send(b"0\r\n\r\n")
            assert (await connection.receive()).status == (204 if way == "tus" else 201)
        took = loop.time() - began
        (listed,) = await journal.list()
        await is_ready(ada, listed["id"])
        progress = [entry for entry in about(ada, listed["id"]) if entry.type == "attachmentProgress"]
        assert 2 <= len(progress) <= 4 * took + 2, f"{len(progress)} in {took} s"
        offsets = []
        for entry in progress:
            assert entry.flags == SYSTEM and entry.sequence == 0
            payload = json.loads(entry.payload)
            assert payload["size"] == (None if way == "chunked" else len(data))
            offsets.append(payload["offset"])
        assert offsets == sorted(set(offsets)) and offsets[0] > 0 and offsets[-1] <= len(data)
        states = about(ada, listed["id"])
        assert states[0].type == "attachment" and states[-1].type == "attachment"


async def test_an_interrupted_upload_is_announced_with_its_offset(gateway: Gateway) -> None:
    data = content(500_000)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        upload = await Upload.create(journal, len(data))
        async with await upload.begin(0, len(data)) as connection:
            await connection.send(data[:300_000])
            await until(lambda: upload.has(300_000), "the piece has arrived")
            connection.reset()
        await ada.wait_for(
            lambda: ada.retained.attachments.get(upload.id, {}).get("offset") == 300_000,
            "everybody knows how far it is",
        )
        late = await room.join("Late")
        held = late.retained.attachments[upload.id]
        assert (held["state"], held["offset"], held["size"]) == ("uploading", 300_000, 500_000)
        await upload.send(data[300_000:], 300_000)
        for person in (ada, late):
            assert (await is_ready(person, upload.id))["offset"] == 500_000


async def test_an_upload_has_an_uploader_only_with_a_token(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        anonymous = await journal.add(b"1")
        own = await journal.add(b"2", Participant_Token=ben.token)
        upload = await Upload.create(journal, 1, b"3", Participant_Token=ada.token)
        assert [anonymous["participant"], own["participant"]] == [None, ben.number]
        assert (await is_ready(ben, upload.id))["participant"] == ada.number


async def test_removal_deletes_the_keys_in_both_key_spaces(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        attachment = await journal.add(content(10))
        place = Outgoing("ImagePlacementMessage", b"{}", RELIABLE | REPLACE, key_of(attachment["id"]))
        ada.send(place)
        await ben.got(b"{}")
        assert key_of(attachment["id"]) in ben.retained.keys
        assert (await journal.remove(attachment["id"])).status == 204
        for person in (ada, ben):
            await is_gone(person, attachment["id"])
            await person.wait_for(
                lambda person=person: key_of(attachment["id"]) not in person.retained.keys,
                "its place is gone",
            )
            removals = [entry for entry in about(person, attachment["id"]) if entry.retention == REMOVE]
            assert sorted(entry.flags for entry in removals) == [
                RELIABLE | REMOVE,
                RELIABLE | REMOVE | SYSTEM,
            ]
            assert all((e.type, e.payload, e.client_sequence) == ("attachment", b"", 0) for e in removals)
        late = await room.join("Late")
        assert late.retained.attachments == {} and late.retained.keys == {}
        ada.send(
            Outgoing("ImagePlacementMessage", b"{1}", RELIABLE | REPLACE | EXISTING, key_of(attachment["id"]))
        )
        await ben.got(b"{1}")
        assert ben.retained.keys == {}, "a late move brings nothing back"


@pytest.mark.parametrize("flags", [REMOVE, REPLACE, APPEND], ids=["remove", "replace", "append"])
async def test_a_clients_entry_under_its_key_leaves_it_listed(gateway: Gateway, flags: int) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        attachment = await journal.add(content(10))
        payload = b"" if flags == REMOVE else b"{}"
        for type_ in ("attachment", "ImagePlacementMessage"):
            ada.send(Outgoing(type_, payload, RELIABLE | flags, key_of(attachment["id"])), note(type_))
            await ben.got(type_.encode())
        late = await room.join("Late")
        for person in (ada, ben, late):
            assert person.retained.attachments == {attachment["id"]: attachment}
        assert await journal.list() == [attachment]
        assert (await journal.read(attachment["id"])).status == 200


async def test_a_late_joiner_gets_the_present_attachments(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        kept, gone = await journal.add(content(1)), await journal.add(content(2))
        upload = await Upload.create(journal, 10)
        await upload.send(b"12345")
        ada.send(note("drawn"))
        await journal.remove(gone["id"])
        await is_gone(ada, gone["id"])
        late = await room.join("Late")
        assert late.catch_ups == ["snapshot"]
        assert set(late.retained.attachments) == {kept["id"], upload.id}
        assert late.retained.attachments[kept["id"]] == kept
        assert late.retained.attachments[upload.id] == await journal.find(upload.id)
        assert not [entry for entry in late.snapshots[0] if entry.type == "attachmentProgress"]
        await journal.remove(kept["id"])
        await is_gone(late, kept["id"])


async def test_a_tail_has_attachments_added_and_removed_meanwhile(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        first = await journal.add(content(1))
        await is_ready(ada, first["id"])
        await ada.cut()
        second, third = await journal.add(content(2)), await journal.add(content(3))
        await journal.remove(first["id"])
        await journal.remove(third["id"])
        await is_gone(ben, third["id"])
        await ada.join()
        assert ada.catch_ups == ["snapshot", "tail"]
        assert ada.retained.attachments == ben.retained.attachments == {second["id"]: second}


async def test_an_attachment_stays_when_its_uploader_leaves(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        number = ada.number
        attachment = await journal.add(content(5), Participant_Token=ada.token)
        upload = await Upload.create(journal, 10, b"12345", Participant_Token=ada.token)
        await ada.say(leave={})
        await ada.closed()
        await ben.system("participants", lambda change: change.get("left"))
        assert await journal.find(attachment["id"]) == attachment
        assert (await journal.read(attachment["id"])).body == content(5)
        await upload.send(b"67890", 5)
        assert (await is_ready(ben, upload.id))["participant"] == number


async def test_any_participant_can_remove_an_attachment_once(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)
        attachment = await journal.add(content(5), Participant_Token=ada.token)
        assert (await journal.remove(attachment["id"], Participant_Token=ben.token)).status == 204
        (await journal.remove(attachment["id"])).problem(404, "not-found")
        (await journal.read(attachment["id"])).problem(404, "not-found")
        await is_gone(ada, attachment["id"])
        ada.send(note("end"))
        await ben.got(b"end")
        removals = [entry for entry in about(ben, attachment["id"]) if entry.retention == REMOVE]
        assert len(removals) == 2
        assert await journal.is_empty()


@pytest.mark.parametrize("way", ["at once", "tus", "tus in a pause"])
async def test_removal_cancels_an_upload(gateway: Gateway, way: str) -> None:
    data = content(MEBIBYTE)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        if way == "at once":
            connection = await journal.begin(Content_Length=str(len(data)))
        else:
            upload = await Upload.create(journal, len(data))
            connection = await upload.begin(0, len(data))
        async with connection:
            await connection.send(data[:300_000])
            (listed,) = await until(journal.list, "it is listed")
            if way == "tus in a pause":
                connection.abort()
            assert (await journal.remove(listed["id"])).status == 204
            if way != "tus in a pause":
                await connection.send(data[300_000:])
                if answer := await connection.ends():
                    assert answer.startswith((b"HTTP/1.1 404", b"HTTP/1.1 409", b"HTTP/1.1 410")), answer[
                        :200
                    ]
        gone = Upload(gateway, journal.path_of(listed["id"]))
        (await gone.patch(data[300_000:], 300_000)).problem(404, "not-found")
        assert (await gone.head()).status == 404
        await is_gone(ada, listed["id"])
        assert [state["state"] for state in told(ada, listed["id"]) if state["state"] == "ready"] == []
        await until(journal.is_empty, "nothing is left of it")


@pytest.mark.parametrize("way", ["delete", "end"])
async def test_after_the_end_of_a_session_only_ready_attachments_can_be_read(
    gateway: Gateway, way: str
) -> None:
    data = content(MEBIBYTE)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        journal = Journal(gateway, room.id)
        attachment = await journal.add(content(100_000))
        upload = await Upload.create(journal, len(data))
        async with (
            await upload.begin(0, len(data)) as connection,
            await journal.begin(Content_Length="9") as other,
        ):
            await connection.send(data[:300_000])
            await other.send(b"1234")
            await until(lambda: upload.has(300_000), "the piece has arrived")
            assert journal.folder.is_dir()
            if way == "end":
                await ada.say(end={})
            else:
                await gateway.request("DELETE", room.path, {"Participant-Token": ada.token or ""})
            assert (await ada.closed())[0] == 4010
            assert attachment in await journal.list()
            (await journal.post(b"x")).problem(410, "ended")
            assert (await journal.read(attachment["id"])).body == content(100_000)
            assert (await journal.read(upload.id)).status in (409, 410)
            (await journal.remove(attachment["id"])).problem(410, "ended")
            (await upload.patch(b"x", 300_000)).problem(410, "ended")
            assert (await upload.head()).status == 410
            (await Upload.creation(journal, 5)).problem(410, "ended")
            await until(lambda: len(journal.files()) == 1, "no half of a file is left")


async def test_after_many_concurrent_changes_all_participants_agree(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(gateway, room.id)

        async def come_and_go(n: int) -> str | None:
            attachment = await journal.add(content(20_000, seed=n % 5), is_chunked=n % 2 == 1)
            if n % 3:
                return attachment["id"]
            assert (await journal.remove(attachment["id"])).status == 204
            return None

        stay = set(filter(None, await asyncio.gather(*[come_and_go(n) for n in range(30)])))
        ada.send(note("end"))
        await ben.got(b"end")
        await ada.got(b"end")
        assert set(ada.retained.attachments) == stay
        assert ada.retained.attachments == ben.retained.attachments
        listed = await journal.list()
        assert {attachment["id"]: attachment for attachment in listed} == ada.retained.attachments
        await until(
            lambda: journal.stored() == {attachment["sha256"] for attachment in listed}, "one file a hash"
        )

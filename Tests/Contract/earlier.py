#!/usr/bin/env python3
"""Creates the data folder of a version of the gateway, so that tests of later versions can open it.

    PYTHONPATH=Tests/Support/python PYTHON Tests/Contract/earlier.py GATEWAY_BINARY VERSION

PYTHON is that of the contract tests' environment, which `run` creates. An existing folder of that version is replaced. That is
correct only before the version is released: the folder of a released version proves that it can still be read. The file
`kept.json` beside the folder has the expected content, for `test_earlier_folders.py`.
"""

from __future__ import annotations

import asyncio
import base64
import json
import shutil
import sys
import tempfile
import uuid
from pathlib import Path
from typing import Any

from attachments import Journal, base64_of, content, sha256
from client import Client
from gateway import REPOSITORY
from lasting import LastingGateway
from room import Room, append, key, note, remove, replace, targeted
from tus import Upload, upload_metadata
from wire import APPEND, EXISTING, RELIABLE, REPLACE, Outgoing

FOLDERS = REPOSITORY / "Tests" / "StorageTests" / "Fixtures"
UPLOAD_BYTES, ARRIVED_BYTES = 3000, 1000
# A picture of one pixel.
PHOTO = base64.b64decode(
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def point(number: int, x: int, flags: int) -> Outgoing:
    stroke = {"id": str(uuid.UUID(bytes=key(number))).upper(), "color": number % 11, "point": [x, -x]}
    return Outgoing("UpsertStrokeMessage", json.dumps(stroke).encode(), RELIABLE | flags, key(number))


def held(person: Client) -> dict[str, list[list[Any]]]:
    """Returns the entries that a client retains under each key, as values for JSON."""
    return {
        name.hex(): [[sequence, sender, own, kind, base64_of(payload)] for sequence, sender, own, kind, payload in entries]
        for name, entries in person.retained.held().items()
    }  # fmt: skip


def kept(person: Client, room: Room, **more: Any) -> dict[str, Any]:
    """Returns the state of a participant, and the values that it needs to resume."""
    return {
        "id": room.id,
        "title": person.retained.activity["title"],
        "sequence": person.last,
        "held": held(person),
        "attachments": person.retained.attachments,
        "resume": {
            "token": person.token, "epoch": person.epoch, "number": person.number, "name": person.joined["participant"]["name"],
            "acknowledged": person.outbox.next - 1,
        },
        **more,
    }  # fmt: skip


async def everywhere(*people: Client) -> None:
    """Waits until all entries of each client are committed and received by all of them."""
    for person in people:
        await person.committed()
    last = max(person.last for person in people)
    for person in people:
        await person.wait_for(lambda person=person: person.last >= last, f"everything up to {last}")


async def draw(room: Room) -> dict[str, Any]:
    """Sends strokes with every kind of retention, and targeted text; one participant leaves."""
    ada, ben, cleo = await room.join("Ada"), await room.join("Ben"), await room.join("Cleo")
    ada.send(*[point(1, x, APPEND) for x in range(5)], *[point(2, x, APPEND) for x in range(3)])
    await everywhere(ada)
    ben.send(replace(3, "first"), replace(3, "second"), append(3, "and more"))
    ben.send(Outgoing("Bytes", bytes(range(256)), RELIABLE | APPEND, key(4)))
    cleo.send(append(5, "to be removed"), append(6, "to come back"), replace(7, "nobody holds it", EXISTING))
    await everywhere(ben, cleo)
    ada.send(point(1, 99, REPLACE | EXISTING), remove(5), remove(6), append(6, "is back"), note("not kept"))
    ada.send(targeted("for Ben alone", ben.number))
    await ben.got(b"for Ben alone")
    await ben.say(profile={"name": "Benjamin", "color": "#123456"})
    await ben.say(activity={"title": "A drawing that is kept"})
    await ada.system("activity", lambda told: told["title"] == "A drawing that is kept")
    await cleo.say(leave={})
    await cleo.closed()
    await ada.system("participants", lambda told: told.get("left"))
    await everywhere(ada, ben)
    return kept(ada, room, secret="for Ben alone")


async def attach(room: Room) -> dict[str, Any]:
    """Adds a photo, the same bytes again, an attachment that is removed, one uploaded in pieces, and an unfinished one."""
    dora = await room.join("Dora")
    journal = Journal(room.gateway, room.id)
    fields = {
        "Content_Type": "image/png", "Content_Disposition": 'attachment; filename="photo.png"',
        "Attachment_Metadata": base64_of('{"location":[10,20],"width":1,"height":1}'),
        "Participant_Token": dora.token,
    }  # fmt: skip
    photo = await journal.add(PHOTO, **fields)
    await journal.add(PHOTO, **fields)
    gone = await journal.add(content(100, 1))
    assert (await journal.remove(gone["id"])).status == 204
    whole = await Upload.create(journal, 2000, Upload_Metadata=upload_metadata(filename="whole.bin"))
    await whole.send(content(2000, 2)[:1500])
    await whole.send(content(2000, 2)[1500:], offset=1500)
    cut = await Upload.create(journal, UPLOAD_BYTES, Upload_Metadata=upload_metadata(filename="later.bin"))
    await cut.send(content(UPLOAD_BYTES, 3)[:ARRIVED_BYTES])
    dora.send(replace(1, "beside files"))
    await everywhere(dora)
    listed = {attachment["id"]: attachment for attachment in await journal.list()}
    await dora.wait_for(
        lambda: (
            {name: a["state"] for name, a in dora.retained.attachments.items()}
            == {name: a["state"] for name, a in listed.items()}
        ),
        "every attachment's entry",
    )
    return kept(
        dora, room, photo={"id": photo["id"], "sha256": sha256(PHOTO)}, unfinished=cut.id, gone=gone["id"],
        contents=sorted({sha256(PHOTO), sha256(content(2000, 2))}),
    )  # fmt: skip


async def end(room: Room) -> dict[str, Any]:
    """Creates a session with an attachment and ends it."""
    eve = await room.join("Eve")
    eve.send(append(1, "the last picture"))
    photo = await Journal(room.gateway, room.id).add(PHOTO, Content_Type="image/png")
    await everywhere(eve)
    known = kept(eve, room, photo={"id": photo["id"], "sha256": sha256(PHOTO)})
    await eve.say(end={})
    await eve.closed()
    return known


async def make(executable: str, target: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        gateway = LastingGateway(executable, Path(name))
        async with Room(gateway) as drawing, Room(gateway) as files, Room(gateway) as ended:
            sessions = {
                "drawing": await draw(drawing),
                "files": await attach(files),
                "ended": await end(ended),
            }
        gateway.stop()
        gateway.start()
        # The log of a killed gateway does not end with a `closed` record.
        async with Room(gateway, {"identifier": "org.example.notes", "title": "Cut off"}) as unclean:
            finn = await unclean.join("Finn")
            finn.send(append(1, "before the end"), replace(2, "of the process"))
            await everywhere(finn)
            sessions["unclean"] = kept(finn, unclean)
            gateway.kill()
        shutil.rmtree(target, ignore_errors=True)
        target.mkdir(parents=True)
        # A later version does not have to read keys and locks.
        shutil.copytree(
            gateway.data, target / "data", ignore=shutil.ignore_patterns("lock", "clean", "tls-*")
        )
        (target / "kept.json").write_text(json.dumps(sessions, indent=1, sort_keys=True) + "\n")


if __name__ == "__main__":
    asyncio.run(make(sys.argv[1], FOLDERS / f"version-{int(sys.argv[2])}"))

"""Data folders of earlier versions: this version opens each of them and finds the same content. `earlier.py` creates
them. A folder is stored as it was written; empty folders, which git does not store, are created again."""

from __future__ import annotations

import asyncio
import json
import shutil
from pathlib import Path
from typing import Any

import pytest

from attachments import Journal, content, sha256
from client import Client
from command import run
from earlier import ARRIVED_BYTES, FOLDERS, PHOTO, UPLOAD_BYTES, held
from lasting import LastingGateway
from polling import until
from tus import Upload

YEAR = 31_536_000
# The maximum, because the stored folders grow old.
LIMITS = {"sessionKeepSeconds": 10 * YEAR, "endedKeepSeconds": 10 * YEAR, "uploadKeepSeconds": YEAR}


class Earlier:
    """A folder of an earlier version, and its expected content."""

    def __init__(self, executable: str, version: Path, folder: Path) -> None:
        self.executable, self.data = executable, folder / "data"
        # The times of the files are not copied, so that an upload begins to wait now.
        shutil.copytree(version / "data", self.data, copy_function=shutil.copy)
        for session in (self.data / "sessions").iterdir():
            for name in ("uploads", "attachments"):
                (session / name).mkdir(exist_ok=True)
        self.kept: dict[str, dict[str, Any]] = json.loads((version / "kept.json").read_text())
        self.folder = folder

    def command(self, *arguments: str) -> tuple[int, str, str]:
        done = run(self.executable, *arguments, "--data", str(self.data))
        return done.returncode, done.stdout, done.stderr

    def serve(self) -> LastingGateway:
        return LastingGateway(self.executable, self.folder, **LIMITS)


@pytest.fixture(params=sorted(FOLDERS.glob("version-*")), ids=lambda version: version.name)
def earlier(request: pytest.FixtureRequest, executable: str, tmp_path: Path) -> Earlier:
    return Earlier(executable, request.param, tmp_path)


def person(gateway: LastingGateway, kept: dict[str, Any], *, comes_back: bool) -> Client:
    """Returns a new or a returning participant."""
    client = Client(gateway.socket_url(kept["id"]))
    if comes_back:
        client.token, client.epoch = kept["resume"]["token"], kept["resume"]["epoch"]
        client.outbox.committed = kept["sequence"]
    return client


async def check_session(gateway: LastingGateway, kept: dict[str, Any]) -> None:
    """Checks that a new participant gets the retained entries, and that a former one resumes as itself."""
    async with person(gateway, kept, comes_back=False) as new:
        await new.join(name="Newcomer")
        assert held(new) == kept["held"]
        assert new.retained.activity and new.retained.activity["title"] == kept["title"]
        assert {n: a["sha256"] for n, a in new.retained.attachments.items()} == {
            n: a["sha256"] for n, a in kept["attachments"].items()
        }
        secret = kept.get("secret", "\0").encode()
        assert not [e for e in new.received + new.snapshots[-1] if secret in e.payload]
    async with person(gateway, kept, comes_back=True) as back:
        await back.connect()
        await back.say(join={"resume": kept["resume"] | {"next": kept["resume"]["acknowledged"] + 1}})
        joined = await back.control("joined")
        assert joined["resumed"], joined
        assert joined["participant"]["number"] == kept["resume"]["number"]
        assert joined["participant"]["name"] == kept["resume"]["name"]
        assert joined["acknowledged"] == kept["resume"]["acknowledged"]
        await back.control("caughtUp")
        assert back.epoch != kept["resume"]["epoch"], "a copy of a folder is another life"
        assert held(back) == kept["held"]


async def test_an_earlier_folder_opens_with_its_sessions(earlier: Earlier) -> None:
    gateway = earlier.serve()
    try:
        for name in ("drawing", "files", "unclean"):
            await check_session(gateway, earlier.kept[name])
        numbers = {entry[1] for entries in earlier.kept["drawing"]["held"].values() for entry in entries}
        async with person(gateway, earlier.kept["drawing"], comes_back=False) as late:
            await late.join(name="Late")
            assert late.number not in numbers, "a number was given out twice"
    finally:
        assert await asyncio.to_thread(gateway.terminate) == 0
    assert earlier.command("verify")[0] == 0


async def test_an_earlier_folder_gets_the_present_format(earlier: Earlier) -> None:
    format_ = earlier.data / "format"
    before = int(format_.read_text())
    assert earlier.command("verify")[0] == 0 and int(format_.read_text()) == before, "who only looks changes nothing"
    gateway = earlier.serve()
    assert await asyncio.to_thread(gateway.terminate) == 0
    new = int(format_.read_text())
    assert before <= new
    assert ("data folder upgraded" in gateway.log) == (before < new)
    gateway.start()
    try:
        assert gateway.log.count("data folder upgraded") == (before < new)
    finally:
        assert await asyncio.to_thread(gateway.terminate) == 0


async def test_attachments_of_an_earlier_folder_are_kept_and_its_upload_continues(earlier: Earlier) -> None:
    files = earlier.kept["files"]
    gateway = earlier.serve()
    try:
        journal = Journal(gateway, files["id"])
        listed = {attachment["id"]: attachment for attachment in await journal.list()}
        assert set(listed) == set(files["attachments"]) and files["gone"] not in listed
        photo = await journal.read(files["photo"]["id"])
        assert (photo.status, photo["content-type"], photo.body) == (200, "image/png", PHOTO)
        assert journal.stored() == set(files["contents"])
        upload = Upload(gateway, journal.path_of(files["unfinished"]))
        assert await upload.offset() == ARRIVED_BYTES
        await upload.send(content(UPLOAD_BYTES, 3)[ARRIVED_BYTES:], offset=ARRIVED_BYTES)
        await until(lambda: sha256(content(UPLOAD_BYTES, 3)) in journal.stored(), "the whole upload")
        ready = await journal.find(files["unfinished"])
        assert ready and ready["sha256"] == sha256(content(UPLOAD_BYTES, 3))
    finally:
        assert await asyncio.to_thread(gateway.terminate) == 0
    assert earlier.command("verify")[0] == 0


async def test_ended_sessions_of_an_earlier_folder_can_be_restored(earlier: Earlier) -> None:
    ended = earlier.kept["ended"]
    gateway = earlier.serve()
    try:
        journal = Journal(gateway, ended["id"])
        assert (await gateway.get(f"/api/sessions/{ended['id']}")).status == 410
        async with person(gateway, ended, comes_back=False) as guest:
            await guest.connect()
            assert (await guest.closed())[0] == 4010
        assert (await journal.read(ended["photo"]["id"])).body == PHOTO
        code, said, _ = earlier.command("restore", ended["id"][:8])
        assert code == 0 and ended["id"] not in said
        async with person(gateway, ended, comes_back=False) as guest:
            await guest.join(name="Guest")
            assert held(guest) == ended["held"]
        assert (await journal.read(ended["photo"]["id"])).body == PHOTO
    finally:
        assert await asyncio.to_thread(gateway.terminate) == 0
    assert earlier.command("verify")[0] == 0


def test_the_commands_read_an_earlier_folder(earlier: Earlier) -> None:
    code, said, _ = earlier.command("verify")
    assert code == 0 and said.startswith("4 sessions, ")
    code, said, _ = earlier.command("sessions", "--json")
    states = {row["title"]: row["state"] for row in map(json.loads, said.splitlines())}
    assert code == 0 and states["A drawing that is kept"] == "closed" and states["Cut off"] == "open"
    for kept in earlier.kept.values():
        code, said, _ = earlier.command("export", kept["id"], "--state")
        _, *lines = map(json.loads, said.splitlines())
        found: dict[str, list[int]] = {}
        for line in lines:
            if not line.get("system"):
                found.setdefault(line["key"].replace("-", "").lower(), []).append(line["sequence"])
        assert code == 0
        assert found == {key: [entry[0] for entry in entries] for key, entries in kept["held"].items()}

"""Backups while participants draw, and restores: all participants resume by themselves."""

from __future__ import annotations

import asyncio
import random
import re
from dataclasses import dataclass, field
from itertools import count
from pathlib import Path

import pytest

from attachments import Journal, content, sha256
from client import Client
from command import run
from http1 import Response
from lasting import LastingGateway
from polling import until
from seeds import give_seeds
from tus import Upload
from writers import Writer

SEEDS, MORE = [1], list(range(2, 9))
ROOMS, WRITERS, BACKUPS = 2, 2, 2
UPLOAD = content(900_000, 77)
PIECE = 60_000


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    give_seeds(metafunc, SEEDS, MORE)


@dataclass
class Files:
    """Attachments that are added and removed in one session."""

    journal: Journal
    chance: random.Random
    there: dict[str, bytes] = field(default_factory=dict)
    """The attachments whose creation was acknowledged and whose removal was not requested."""
    ever: dict[str, bytes] = field(default_factory=dict)

    async def churn(self) -> None:
        for number in count():
            data = content(self.chance.randrange(1, 150_000), number)
            # Every second content twice: two attachments refer to one file.
            for _ in range(1 + number % 2):
                added = await self.journal.add(data)
                self.there[added["id"]] = self.ever[added["id"]] = data
            while len(self.there) > 4:
                gone = self.chance.choice(sorted(self.there))
                del self.there[gone]
                assert (await self.journal.remove(gone)).status == 204

    async def check(self, least: dict[str, bytes]) -> None:
        """Checks that every listed attachment can be read, and that those in `least` are listed."""
        listed = {attachment["id"] for attachment in await self.journal.list()}
        missing = {id_ for id_ in least if id_ in self.there} - listed
        assert not missing, f"attachments that were kept are gone: {missing}"
        for attachment in listed & set(self.ever):
            answer = await self.journal.read(attachment)
            assert answer.status == 200 and answer.body == self.ever[attachment]


@dataclass
class Taken:
    """A backup, and the content that it must have at least."""

    folder: Path
    committed: dict[str, int]
    files: list[dict[str, bytes]]
    sessions: list[str]
    ended: list[str]
    offset: int


class Town:
    """A gateway with participants, sessions and attachments that change all the time."""

    def __init__(self, gateway: LastingGateway, executable: str, seed: int) -> None:
        self.gateway, self.executable, self.chance = gateway, executable, random.Random(seed)
        self.rooms: list[str] = []
        self.writers: list[Writer] = []
        self.files: list[Files] = []
        self.sessions: list[str] = []
        self.ended: list[str] = []
        self.work: list[asyncio.Task[None]] = []
        self.upload: Upload
        self.sent = 0

    async def begin(self) -> None:
        for room in range(ROOMS):
            self.rooms.append(await self.gateway.create_session())
            self.files.append(
                Files(Journal(self.gateway, self.rooms[-1]), random.Random(self.chance.random()))
            )
            for place in range(WRITERS):
                self.add_writer(room, place)
        await until(lambda: all(writer.joins for writer in self.writers), "all have joined")
        self.upload = await Upload.create(self.files[0].journal, len(UPLOAD), UPLOAD[:PIECE])
        self.sent = PIECE
        for writer in self.writers:
            writer.draw()
        self.work = [asyncio.create_task(files.churn()) for files in self.files]
        self.work += [asyncio.create_task(self._make_sessions()), asyncio.create_task(self._upload())]

    def add_writer(self, room: int, place: int) -> Writer:
        name = f"{room}/{place}"
        self.writers.append(Writer(self.gateway, self.rooms[room], place, name))
        return self.writers[-1]

    async def backup(self, folder: Path) -> Taken:
        """Creates a backup and verifies it."""
        taken = Taken(
            folder, {writer.name: writer.committed for writer in self.writers},
            [dict(files.there) for files in self.files], list(self.sessions), list(self.ended), self.sent,
        )  # fmt: skip
        done = await self.command("backup", str(folder), "--disk-reserve-bytes", "0")
        assert (done.returncode, done.stderr) == (0, ""), done
        assert done.stdout.startswith(f"backup in {folder}: "), done
        checked = await self.command("verify", data=folder)
        assert checked.returncode == 0, checked
        return taken

    async def command(self, *arguments: str, data: Path | None = None):
        return await asyncio.to_thread(
            run, self.executable, *arguments, "--data", str(data or self.gateway.data)
        )

    async def more_is_drawn(self, by: int) -> None:
        """Waits until each participant has this number of entries more committed."""
        before = [writer.committed for writer in self.writers]
        await until(
            lambda: all(w.committed >= b + by for w, b in zip(self.writers, before, strict=True)),
            f"everybody has {by} more committed",
        )

    async def has_compacted(self) -> bool:
        return await self.gateway.metric("drawtogether_compactions_total") > 0

    async def stop_working(self) -> None:
        for task in self.work:
            task.cancel()
        ended = await asyncio.gather(*self.work, return_exceptions=True)
        faults = [e for e in ended if e is not None and not isinstance(e, asyncio.CancelledError)]
        assert not faults, faults
        self.work = []

    async def go_back_to(self, taken: Taken, folder: Path) -> None:
        """Kills the gateway, and starts it with a restored backup at the same address."""
        await asyncio.to_thread(self.gateway.kill)
        done = await self.command("restore", str(taken.folder), data=folder / "data")
        assert (done.returncode, done.stderr) == (0, ""), done
        self.gateway.arguments[self.gateway.arguments.index("--data") + 1] = str(folder / "data")
        await asyncio.to_thread(self.gateway.start)

    async def end(self) -> None:
        await self.stop_working()
        await asyncio.gather(*[writer.end() for writer in self.writers])

    async def _make_sessions(self) -> None:
        """Creates and ends sessions, and creates successors of some."""
        for number in count():
            session = await self.gateway.create_session()
            self.sessions.append(session)
            async with Client(self.gateway.socket_url(session)) as maker:
                await maker.join(name="Maker")
                if number % 2 == 0:
                    token = maker.token or ""
                    follows = {"follows": session}
                    answer = await self.gateway.post("/api/sessions", follows, Participant_Token=token)
                    assert answer.status == 201, answer
                    self.sessions.append(answer.json()["id"])
                elif self.chance.random() < 0.5:
                    self.sessions.remove(session)
                    await maker.say(end={})
                    await maker.closed()
                    self.ended.append(session)

    async def _upload(self) -> None:
        while self.sent < len(UPLOAD) - PIECE:
            await self.upload.send(UPLOAD[self.sent : self.sent + PIECE], self.sent)
            self.sent += PIECE
            before = self.writers[0].counted
            await until(lambda before=before: self.writers[0].counted > before + 40, "others go on")


@pytest.mark.seconds(240)
async def test_all_participants_resume_after_a_restore_of_a_busy_gateway(
    lasting_with, executable: str, tmp_path: Path, seed: int
) -> None:
    print(f"replay with --seed {seed}")
    gateway: LastingGateway = lasting_with(
        entriesPerSecond=100_000, bytesPerSecond=1 << 30, catchUpTailBytes=100_000
    )
    town = Town(gateway, executable, seed)
    try:
        await town.begin()
        await until(town.has_compacted, "a log is written anew", timeout=60)
        taken = []
        for number in range(BACKUPS):
            taken.append(await town.backup(tmp_path / f"backup-{number}"))
            await town.more_is_drawn(town.chance.randrange(4, 80))
        chosen = town.chance.choice(taken)
        late = town.add_writer(0, WRITERS)
        late.draw()
        await until(lambda: late.committed > 10, "one who came after the backup has drawn")
        made_after = await gateway.create_session()
        await town.stop_working()
        joins = {writer.name: writer.joins for writer in town.writers}
        await town.go_back_to(chosen, tmp_path / "restored")
        await until(
            lambda: all(writer.joins > joins[writer.name] for writer in town.writers), "all came back"
        )
        await town.more_is_drawn(20)
        for writer in town.writers:
            writer.draw(False)
        await until(lambda: all(not writer.client.outbox for writer in town.writers), "all is committed")
        for room in range(ROOMS):
            await check_room(town, room, chosen)
        assert not town.writers[-1].client.joined["resumed"], "who came after the backup is unknown to it"
        await check_sessions(town, chosen, made_after)
        await check_upload(town, chosen)
    finally:
        await town.end()
    assert await asyncio.to_thread(gateway.terminate) == 0
    checked = await town.command("verify", data=tmp_path / "restored" / "data")
    assert checked.returncode == 0, checked


async def check_room(town: Town, room: int, taken: Taken) -> None:
    """Checks that all participants are present once, have the same state, and lack only entries after the backup."""
    writers = [writer for writer in town.writers if writer.name.startswith(f"{room}/")]
    async with Client(town.gateway.socket_url(town.rooms[room])) as late:
        await late.join(name="Late")
        held = late.retained.held()
        for writer in writers:
            await until(
                lambda w=writer: w.client.retained.held() == held, f"{writer.name} holds what all hold"
            )
            numbers = writer.seen
            assert numbers == sorted(set(numbers)), f"{writer.name}: doubled or out of order"
            # At most one gap: the entries committed between the backup and the kill.
            holes = [n for n in range(len(numbers) - 1) if numbers[n + 1] != numbers[n] + 1]
            known = taken.committed.get(writer.name)
            if known is None:
                assert not holes, f"{writer.name}: {holes}"
            else:
                missing = set(range(known)) - set(numbers)
                assert not missing, f"{writer.name}: committed before the backup and not there: {missing}"
                assert len(holes) <= 1 and writer.client.joined["resumed"], (writer.name, holes)
            assert numbers[-1] == writer.counted - 1
        people = sorted(person["name"] for person in late.retained.people.values())
        assert people == sorted(["Late", *[writer.name for writer in writers]])
    await town.files[room].check(taken.files[room])


async def check_sessions(town: Town, taken: Taken, made_after: str) -> None:
    async def answer(session: str) -> Response:
        return await town.gateway.get(f"/api/sessions/{session}")

    for session in taken.sessions:
        assert (await answer(session)).status in (200, 410), session
    still = [session for session in taken.sessions if session in town.sessions]
    assert still and all([(await answer(session)).status == 200 for session in still])
    assert all([(await answer(session)).status == 410 for session in taken.ended])
    (await answer(made_after)).problem(404, "not-found")
    async with Client(town.gateway.socket_url(made_after)) as stranger:
        await stranger.connect()
        assert (await stranger.closed())[0] == 4004
    # Participants redirected to a successor find it.
    folders = {path.name: path for path in (taken.folder / "sessions").iterdir()}
    successors = {
        found[1].decode()
        for folder in folders.values()
        for found in re.finditer(rb'newSession\{"session":"([\w-]{22})"', (folder / "log").read_bytes())
    }
    assert successors, "nobody was sent on"
    assert successors <= folders.keys(), "a successor is not in the backup"


async def check_upload(town: Town, taken: Taken) -> None:
    """Checks that an upload resumes from the offset in the backup."""
    offset = await town.upload.offset()
    assert taken.offset <= offset <= town.sent, (taken.offset, offset, town.sent)
    await town.upload.send(UPLOAD[offset:], offset)
    ready = await town.files[0].journal.find(town.upload.id)
    assert ready and ready["sha256"] == sha256(UPLOAD)
    assert (await town.files[0].journal.read(town.upload.id)).body == UPLOAD

"""The data commands, beside a running gateway."""

from __future__ import annotations

import asyncio
import json
import subprocess
from collections.abc import Callable
from typing import Any

import pytest

from attachments import Journal, content
from command import run
from earlier import held
from gateway import Gateway
from room import Room, append, remove, replace, targeted
from tus import Upload

Command = Callable[..., "asyncio.Future[subprocess.CompletedProcess[str]]"]


@pytest.fixture
def served(new_gateway) -> Gateway:
    """Starts a gateway with its own data folder."""
    return new_gateway(sessionLogBytes=1 << 30)


@pytest.fixture
def command(executable: str, served: Gateway) -> Command:
    """Returns a function that runs a command on the folder of the running gateway."""
    data = str(served.folder / "data")
    return lambda *arguments: asyncio.to_thread(run, executable, *arguments, "--data", data)


async def rows(command: Command) -> dict[str, dict[str, Any]]:
    done = await command("sessions", "--json")
    assert done.returncode == 0, done
    return {row["title"]: row for row in map(json.loads, done.stdout.splitlines())}


async def test_verify_reports_no_damage_while_participants_draw_and_upload(
    served: Gateway, command: Command
) -> None:
    async with Room(served) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        journal = Journal(served, room.id)
        stop = asyncio.Event()

        async def draw() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                strokes = [append(number % 50, f"{number}/{n} " + "x" * 400) for n in range(40)]
                ada.send(*strokes, replace(number % 7, str(number)), remove(number % 11))
                ben.send(targeted(str(number), ada.number), append(60 + number % 5, "y" * 2000))
                await ada.committed()
                await ben.committed()

        async def upload() -> None:
            number = 0
            while not stop.is_set():
                number += 1
                added = await journal.add(content(200_000, number))
                cut = await Upload.create(journal, 50_000, content(50_000, number)[:30_000])
                await cut.send(content(50_000, number)[30_000:], offset=30_000)
                for attachment in (added["id"], cut.id):
                    assert (await journal.remove(attachment)).status == 204

        work = [asyncio.create_task(draw()), asyncio.create_task(upload())]
        for _ in range(15):
            done = await command("verify")
            assert done.returncode == 0, done
            done = await command("export", room.id[:6])
            assert done.returncode == 0, done.stderr
        stop.set()
        await asyncio.gather(*work)


async def test_export_prints_the_state_of_a_participant(served: Gateway, command: Command) -> None:
    async with Room(served) as room:
        ada = await room.join("Ada")
        ada.send(*[append(n % 9, f"entry {n}") for n in range(200)], *[remove(n) for n in range(4)])
        await ada.committed()
        done = await command("export", room.id[:8] + "…", "--state")
        head, *entries = map(json.loads, done.stdout.splitlines())
        assert done.returncode == 0
        assert (head["state"], head["sequence"], head["people"]) == ("open", ada.last, 1)
        found: dict[str, list[list[Any]]] = {}
        for entry in entries:
            told = [entry["sequence"], entry["sender"]["number"], entry["clientSequence"], entry["type"]]
            key = entry["key"].replace("-", "").lower()
            found.setdefault(key, []).append([*told, entry["payloadBase64"]])
        assert found == held(ada)
        ada.send(targeted("a secret", ada.number))
        await ada.committed()
        last = json.loads((await command("export", room.id)).stdout.splitlines()[-1])
        assert last["targets"] == [ada.number]


async def test_sessions_lists_every_session_with_its_state(served: Gateway, command: Command) -> None:
    def titled(title: str) -> Room:
        return Room(served, {"identifier": "org.example.notes", "title": title})

    async with titled("Used") as used, titled("Ended") as ended:
        await used.join("Ada")
        await used.join("Ben")
        await Journal(served, used.id).add(content(1000))
        eve = await ended.join("Eve")
        await eve.say(end={})
        await eve.closed()
        cleo = await used.join("Cleo")
        cleo.send(append(1, "seen"))
        await cleo.committed()
        shown = await rows(command)
        assert (shown["Used"]["state"], shown["Used"]["people"]) == ("open", 3)
        assert (shown["Used"]["files"], shown["Used"]["fileBytes"]) == (1, 1000)
        assert (shown["Ended"]["state"], shown["Ended"]["endedBy"]) == ("ended", eve.number)
        table = await command("sessions")
        assert table.returncode == 0 and used.id[:6] in table.stdout
        for session in (used.id, ended.id):
            assert session not in table.stdout + (await command("sessions", "--json")).stdout
    assert await asyncio.to_thread(served.terminate) == 0
    shown = await rows(command)
    assert (shown["Used"]["state"], shown["Used"]["people"]) == ("closed", 3)
    assert shown["Ended"]["state"] == "ended"


async def test_restore_undoes_an_end_while_the_gateway_runs(served: Gateway, command: Command) -> None:
    async with Room(served) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "before the end"))
        await ada.committed()
        kept = held(ada)
        done = await command("restore", room.id[:10])
        assert done.returncode == 1 and "has not ended" in done.stderr, done
        await ada.say(end={})
        await ada.closed()
        assert (await served.get(room.path)).status == 410
        done = await command("restore", room.id[:10])
        assert (done.returncode, done.stderr) == (0, ""), done
        assert room.id not in done.stdout
        assert (await served.get(room.path)).status == 200
        ben = await room.join("Ben")
        assert held(ben) == kept
        ben.send(append(1, "after it"))
        await ben.committed()
        assert (await command("restore", room.id[:10])).returncode == 1
        assert (await command("verify")).returncode == 0


async def test_restore_of_a_missing_session_fails(served: Gateway, command: Command) -> None:
    done = await command("restore", "AAAAAAAAAAAAAAAAAAAAAA")
    assert done.returncode == 1 and "no session" in done.stderr and done.stdout == ""

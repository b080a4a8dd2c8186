"""`drawtogether end` and `delete`: the operator ends and deletes sessions, with a running gateway and without one."""

from __future__ import annotations

import asyncio
import contextlib
import os
import socket
import subprocess
from collections.abc import Awaitable, Callable
from pathlib import Path

import pytest

from attachments import Journal, content
from command import run
from lasting import LastingGateway
from room import Room, append

Command = Callable[..., Awaitable[subprocess.CompletedProcess[str]]]


@pytest.fixture
def command(executable: str, lasting: LastingGateway) -> Command:
    """Returns a function that runs a command on the folder of the gateway, which may be stopped."""
    return lambda *words: asyncio.to_thread(run, executable, *words, "--data", str(lasting.data))


async def drawn(lasting: LastingGateway, room: Room) -> None:
    """Ada draws, attaches something, and leaves."""
    ada = await room.join("Ada")
    ada.send(append(1, "x"))
    await ada.committed()
    await Journal(lasting, room.id).add(content(1_000))
    await ada.say(leave={})
    await ada.closed()


async def test_end_ends_a_session_for_everyone_and_restore_undoes_it(
    lasting: LastingGateway, command: Command
) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(append(1, "x"))
        await ada.committed()
        done = await command("end", room.id[:8])
        assert (done.returncode, done.stderr) == (0, ""), done
        assert room.id not in done.stdout
        assert (await ada.closed())[0] == (await ben.closed())[0] == 4010
        assert (await lasting.get(room.path)).status == 410
        assert lasting.folder_of(room.id).exists()
        done = await command("end", room.id)
        assert done.returncode == 1 and "has ended already" in done.stderr, done
        assert (await command("restore", room.id)).returncode == 0
        assert (await lasting.get(room.path)).status == 200


async def test_delete_needs_now_for_a_session_with_participants(
    lasting: LastingGateway, command: Command
) -> None:
    async with Room(lasting) as room, Room(lasting) as used, Room(lasting) as ended:
        await drawn(lasting, room)
        ada, eve = await used.join("Ada"), await ended.join("Eve")
        await eve.say(end={})
        await eve.closed()
        for gone in (room, ended):
            done = await command("delete", gone.id)
            assert (done.returncode, done.stderr) == (0, ""), done
            assert not lasting.folder_of(gone.id).exists()
            assert (await lasting.get(gone.path)).status == 410
        done = await command("delete", used.id)
        assert done.returncode == 1 and "has 1 participant" in done.stderr and "--now" in done.stderr, done
        assert ada.close is None and (await lasting.get(used.path)).status == 200
        done = await command("delete", "--now", used.id)
        assert done.returncode == 0, done
        assert (await ada.closed())[0] == 4010
        assert not lasting.folder_of(used.id).exists()
        assert await lasting.metric("drawtogether_kept_sessions") == 0
        await lasting.again("crash")
        assert [(await lasting.get(gone.path)).status for gone in (room, used, ended)] == [404] * 3


@pytest.mark.parametrize("way", ["stop", "crash"])
async def test_end_and_delete_work_without_a_gateway(
    lasting: LastingGateway, command: Command, way: str
) -> None:
    async with Room(lasting) as room, Room(lasting) as other, Room(lasting) as third:
        for one in (room, other, third):
            await drawn(lasting, one)
        await asyncio.to_thread(lasting.stop if way == "stop" else lasting.kill)
        done = await command("end", room.id)
        assert (done.returncode, done.stderr) == (0, ""), done
        assert (await command("end", room.id)).returncode == 1
        assert (await command("delete", other.id)).returncode == 0
        assert not lasting.folder_of(other.id).exists()
        assert (await command("verify")).returncode == 0
        await asyncio.to_thread(lasting.start)
        statuses = [(await lasting.get(one.path)).status for one in (room, other, third)]
        assert statuses == [410, 404, 200]
        assert (await command("restore", room.id)).returncode == 0
        assert (await room.join("Ben")).retained.payloads()


async def test_end_and_delete_of_a_missing_session_fail(lasting: LastingGateway, command: Command) -> None:
    unknown = "AAAAAAAAAAAAAAAAAAAAAA"
    for words in (("end", unknown), ("delete", unknown), ("delete", "--now", unknown)):
        done = await command(*words)
        assert done.returncode == 1 and done.stderr and not done.stdout, done
    assert (await command("end")).returncode == 2
    lasting.stop()
    assert (await command("end", unknown)).returncode == 1


async def test_only_the_owner_of_the_folder_may_send_commands(lasting: LastingGateway) -> None:
    named = lasting.data / "commands"
    assert named.stat().st_mode & 0o777 == 0o600
    async with Room(lasting) as room:
        # The modes of folder and socket would admit every user.
        named.chmod(0o666)
        lasting.data.chmod(0o711)
        owner = os.geteuid()
        if owner == 0:
            # Only root can run a command as another user.
            answer = await asyncio.to_thread(_ask, lasting.data, room.id, 65534)
            assert answer.startswith("refused permission denied: only user 0"), answer
            assert (await lasting.get(room.path)).status == 200
        assert await asyncio.to_thread(_ask, lasting.data, room.id, owner) == "done"
        assert (await lasting.get(room.path)).status == 410


def _ask(data: Path, session: str, user: int) -> str:
    """Returns the gateway's answer to a process of that user. The user cannot access the folders above, so the
    process changes its directory first."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        answer = b"no answer"
        try:
            os.chdir(data)
            os.setuid(user)
            with socket.socket(socket.AF_UNIX) as one:
                one.connect("commands")
                # A refused process may get its answer before it has sent the request.
                with contextlib.suppress(BrokenPipeError):
                    one.sendall(f"end {session}\n".encode())
                answer = one.recv(300)
        except OSError as error:
            answer = str(error).encode()
        finally:
            os.write(writing, answer)
            os._exit(0)
    os.close(writing)
    with os.fdopen(reading, "rb") as told:
        answer = told.read().decode().strip()
    os.waitpid(child, 0)
    return answer

"""`backup` and `restore` with an obstacle: one sentence, and no incomplete copy that looks complete."""

from __future__ import annotations

import asyncio
import json
import resource
import shutil
import signal
import ssl
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from attachments import Journal, content
from client import Client
from command import environment, run
from earlier import FOLDERS
from lasting import LastingGateway
from polling import until
from room import Room, append
from smalldisk import MEBIBYTE, mounted
from test_damaged_folders import refusal, start
from test_restarts import gone

ATTACHMENT = content(6 * MEBIBYTE, 5)
HOUR = 3_600


@pytest.fixture(params=["full disk", "file limit"])
def little_room(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[tuple[Path, int]]:
    """Gives a folder for a backup with room for a few MiB, and the maximum size of a file there."""
    folder = tmp_path / "small"
    folder.mkdir()
    if request.param == "file limit":
        yield folder, 2 * MEBIBYTE
        return
    with mounted(folder, size=3 * MEBIBYTE) as is_mounted:
        yield folder, resource.RLIM_INFINITY if is_mounted else 2 * MEBIBYTE


def sentence(done: subprocess.CompletedProcess[str], code: int) -> str:
    """Checks the exit code and that the output is one line; returns it."""
    assert done.returncode == code and done.stdout == "", done
    assert len(done.stderr.splitlines()) == 1 and done.stderr.startswith("drawtogether: "), done
    return done.stderr


async def test_a_backup_without_room_leaves_nothing_and_the_gateway_runs_on(
    lasting: LastingGateway, executable: str, little_room: tuple[Path, int]
) -> None:
    folder, most = little_room
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        await Journal(lasting, room.id).add(ATTACHMENT)

        def limited() -> None:
            resource.setrlimit(resource.RLIMIT_FSIZE, (most, most))

        command = [executable, "backup", str(folder / "backup"), "--data", str(lasting.data)]
        done = await asyncio.to_thread(
            subprocess.run, command, capture_output=True, text=True, timeout=20, env=environment(),
            preexec_fn=limited,
        )  # fmt: skip
        said = sentence(done, 1)
        space = f"not enough space for the backup in {folder / 'backup'}: the copy needs 6.0 MiB"
        assert f"{space}, and the disk was full after " in said, said
        assert said.endswith("; the incomplete copy is removed\n")
        assert not list(folder.iterdir())
        ada.send(append(1, "and on"))
        await ada.committed()


async def test_a_backup_leaves_the_gateways_disk_reserve_free(
    lasting: LastingGateway, executable: str
) -> None:
    async with Room(lasting) as room:
        await room.join("Ada")
        folder = lasting.folder / "backup"
        reserve = ["--disk-reserve-bytes", str(1 << 50)]
        done = run(executable, "backup", str(folder), "--data", str(lasting.data), *reserve)
        said = sentence(done, 1)
        assert "not enough space for the backup" in said, said
        assert "1024 TiB stay reserved for the gateway" in said, said
        assert not folder.exists()


async def test_an_interrupted_backup_is_never_accepted(
    lasting: LastingGateway, executable: str
) -> None:
    folder, target = lasting.folder / "backup", lasting.folder / "target"
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "kept"))
        await ada.committed()
        await Journal(lasting, room.id).add(ATTACHMENT)

        async def cut_short(*arguments: str, marked: Path) -> None:
            """Kills a command as soon as it has begun to write."""
            for _ in range(50):
                process = subprocess.Popen(
                    [executable, *arguments], stdout=subprocess.DEVNULL, env=environment()
                )
                await until(
                    lambda process=process: marked.exists() or process.poll() is not None,
                    "it begins",
                    every=0,
                )
                process.send_signal(signal.SIGKILL)
                process.wait()
                if marked.read_text() != "1\n":
                    return
                shutil.rmtree(marked.parent)
            raise AssertionError("it always ended before it could be killed")

        backup = ["backup", str(folder), "--data", str(lasting.data)]
        await cut_short(*backup, marked=folder / "format")
        assert "unfinished" in refusal(start(executable, folder), folder)
        for command in (["verify"], ["sessions"]):
            assert "unfinished" in sentence(run(executable, *command, "--data", str(folder)), 2)
        restore = ["restore", str(folder), "--data", str(target)]
        assert "unfinished" in sentence(run(executable, *restore), 2)
        assert not target.exists()
        # The same command starts again, whatever the interrupted one has created.
        (folder / "sessions" / "left").mkdir(exist_ok=True, parents=True)
        assert run(executable, *backup).returncode == 0
        assert run(executable, "verify", "--data", str(folder)).returncode == 0

        await cut_short(*restore, marked=target / "format")
        assert "unfinished" in refusal(start(executable, target), target)
        done = run(executable, *restore, "--json")
        told = json.loads(done.stdout)
        assert done.returncode == 0 and told["restore"] == str(folder), done
        assert (told["sessions"], told["attachments"], told["faults"]) == (1, 1, 0)
        assert told["bytes"] > len(ATTACHMENT) and told["seconds"] >= 0
        assert run(executable, "verify", "--data", str(target)).returncode == 0


async def test_a_folder_in_use_or_with_sessions_is_no_target_of_a_restore(
    lasting: LastingGateway, executable: str
) -> None:
    backup, data = lasting.folder / "backup", ["--data", str(lasting.data)]
    assert run(executable, "backup", str(backup), *data).returncode == 0
    said = sentence(run(executable, "restore", str(backup), *data), 2)
    assert f"is in use by process {lasting.process.pid}" in said, said
    await lasting.create_session()
    await asyncio.to_thread(lasting.stop)
    said = sentence(run(executable, "restore", str(backup), *data), 2)
    assert f"--data: the data folder {lasting.data} has 1 session" in said, said
    assert run(executable, "verify", *data).returncode == 0


async def test_on_one_volume_a_backup_goes_into_the_data_folder_and_is_restored_beside_it(
    lasting_with, lasting: LastingGateway, executable: str
) -> None:
    """The restore runs beside the gateway, because in a container it needs the gateway's; a restart then uses the new
    folder."""
    backup, restored = lasting.data / "monday", lasting.data / "restored"
    data = ["--data", str(lasting.data)]
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "kept"))
        await ada.committed()
        assert run(executable, "backup", str(backup), *data).returncode == 0
        ada.send(append(2, "since then"))
        await ada.committed()
        done = run(executable, "restore", str(backup), "--data", str(restored / "data"))
        assert (done.returncode, done.stderr) == (0, ""), done
        assert run(executable, "verify", *data).returncode == 0
        await asyncio.to_thread(lasting.stop)
        await gone(ada)
        other: LastingGateway = lasting_with(folder=restored)
    async with Client(other.socket_url(room.id)) as guest:
        await guest.join(name="Guest")
        assert [entry.payload for kept in guest.retained.keys.values() for entry in kept] == [b"kept"]


async def test_a_gateway_started_on_a_backup_has_the_same_certificate_and_new_epochs(
    lasting_with, lasting: LastingGateway, executable: str
) -> None:
    async with Room(lasting) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "kept"))
        await ada.committed()
        certificate = await asyncio.to_thread(ssl.get_server_certificate, lasting.https)
        # Also after a clean stop: its mark stays.
        await asyncio.to_thread(lasting.stop)
        assert (lasting.data / "clean").exists()
        elsewhere = lasting.folder / "elsewhere"
        assert run(executable, "backup", str(elsewhere / "data"), "--data", str(lasting.data)).returncode == 0
        assert sorted(path.name for path in (elsewhere / "data").iterdir()) == [
            "format", "lock", "sessions", "tls-cert.pem", "tls-key.pem",
        ]  # fmt: skip
        modes = {path.stat().st_mode & 0o077 for path in elsewhere.rglob("data/**/*")}
        assert modes == {0}, "others may look into it"
        other: LastingGateway = lasting_with(folder=elsewhere)
        assert await asyncio.to_thread(ssl.get_server_certificate, other.https) == certificate
        await gone(ada)
        epoch, ada.url = ada.epoch, other.socket_url(room.id)
        await ada.join()
        assert ada.joined["resumed"] and ada.epoch != epoch and ada.catch_ups[-1] == "snapshot"
        assert [entry.payload for kept in ada.retained.keys.values() for entry in kept] == [b"kept"]
        ada.send(append(1, "on the backup"))
        await ada.committed()


async def test_sessions_of_an_old_backup_are_kept_for_the_usual_time(
    lasting_with, executable: str, tmp_path: Path
) -> None:
    """The restored session was last used longer ago than sessions are kept."""
    version = FOLDERS / "version-1"
    kept = json.loads((version / "kept.json").read_text())["drawing"]["id"]
    backup, restored, copied = tmp_path / "backup", tmp_path / "restored", tmp_path / "copied"
    assert run(executable, "backup", str(backup), "--data", str(version / "data")).returncode == 0
    assert run(executable, "restore", str(backup), "--data", str(restored / "data")).returncode == 0
    shutil.copytree(backup, copied / "data")
    limits = {"sessionKeepSeconds": HOUR, "endedKeepSeconds": HOUR, "removalDelaySeconds": 0}
    plain: LastingGateway = lasting_with(folder=copied, **limits)
    gateway: LastingGateway = lasting_with(folder=restored, **limits)
    # Without the restore the same session has expired. By then the other gateway has checked it too.
    await until(lambda: _is_gone(plain, kept), "the session goes")
    await until(lambda: "ended session removed" in gateway.log, "the restored folder is looked at")
    async with Client(gateway.socket_url(kept)) as guest:
        await guest.join(name="Guest")
        assert guest.retained.keys


async def _is_gone(gateway: LastingGateway, session: str) -> bool:
    return (await gateway.get(f"/api/sessions/{session}")).status in (404, 410)

"""The targets of `backup` and `restore`: other files there keep their bytes, owners and places."""

from __future__ import annotations

import ctypes
import os
import resource
import shutil
import signal
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from command import environment, run
from earlier import FOLDERS
from polling import until
from test_backup_commands import sentence

DATA = FOLDERS / "version-1" / "data"
PAIR = ("tls-cert.pem", "tls-key.pem")
GATEWAY, SOMEBODY = 10_001, 10_002
CHOOSES = os.geteuid() == 0
"""True if this user can choose the owner of files; else all files belong to this user."""


@pytest.fixture
def backup(executable: str, tmp_path: Path) -> Path:
    """A backup with sessions, contents and a certificate."""
    folder = tmp_path / "backups" / "monday"
    done = run(executable, "backup", str(folder), "--data", str(DATA))
    assert done.returncode == 0, done
    for name in PAIR:
        (folder / name).write_text(f"{name} of the backup")
    return folder


def give(path: Path, user: int) -> None:
    if CHOOSES:
        os.chown(path, user, user)


def seen(folder: Path) -> dict[str, tuple[int, int, str]]:
    """Returns the owner, mode and content of every file in a folder."""
    return {
        str(path.relative_to(folder)): (
            path.lstat().st_uid,
            path.lstat().st_mode,
            path.read_bytes().hex() if path.is_file() else "",
        )
        for path in sorted(folder.rglob("*"))
    }


def limited(executable: str, *arguments: str, by: Callable[[], object]) -> subprocess.CompletedProcess[str]:
    """Runs a command after a call that restricts its process."""
    return subprocess.run(
        [executable, *arguments], capture_output=True, text=True, timeout=20, env=environment(), preexec_fn=by
    )  # fmt: skip


def files_up_to(length: int) -> Callable[[], None]:
    return lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (length, length))


def test_a_restore_gives_only_its_own_files_to_the_folders_owner(
    executable: str, backup: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    (target / "theirs" / "below").mkdir(parents=True)
    (target / "theirs" / "file").write_text("theirs")
    (target / "format").write_text("1\n")
    for path in target.rglob("*"):
        give(path, SOMEBODY)
    give(target, GATEWAY)
    before = seen(target / "theirs")
    done = run(executable, "restore", str(backup), "--data", str(target))
    assert done.returncode == 0, done
    assert seen(target / "theirs") == before
    made = [path for path in target.rglob("*") if "theirs" not in path.parts]
    assert len(made) > 10
    for path in made:
        assert path.lstat().st_uid == (GATEWAY if CHOOSES else os.geteuid()), path
        assert path.lstat().st_mode & 0o077 == 0, path


def test_a_failed_restore_leaves_the_folder_to_its_owner(
    executable: str, backup: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    (target / "sessions").mkdir(parents=True)
    (target / "format").write_text("1\n")
    for name in PAIR:
        (target / name).write_text(f"{name} of the folder")
    for path in (target, *target.rglob("*")):
        path.chmod(0o700 if path.is_dir() else 0o600)
        give(path, GATEWAY)
    before = seen(target)
    (backup / "tls-key.pem").write_bytes(bytes(1 << 20))
    arguments = ["restore", str(backup), "--data", str(target)]
    done = limited(executable, *arguments, by=files_up_to(1 << 19))
    assert "not enough space for the restore" in sentence(done, 1)
    after = seen(target)
    assert after.pop("lock")[0] == (GATEWAY if CHOOSES else os.geteuid())
    assert after == before


def test_only_the_creator_can_read_a_backup(executable: str, tmp_path: Path) -> None:
    folder = tmp_path / "shared"
    folder.mkdir()
    give(folder, SOMEBODY)
    assert run(executable, "backup", str(folder), "--data", str(DATA)).returncode == 0
    for path in folder.rglob("*"):
        assert path.lstat().st_uid == os.geteuid() and path.lstat().st_mode & 0o077 == 0, path
    assert folder.stat().st_uid == (SOMEBODY if CHOOSES else os.geteuid())


def test_a_folder_with_other_files_is_refused_and_unchanged(
    executable: str, backup: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    for name in ("clean", "sessions.new", "sessions.removed"):
        (target / name / "mine").mkdir(parents=True)
    for name in PAIR:
        (target / name).write_text("mine")
    before = seen(target)
    said = sentence(run(executable, "restore", str(backup), "--data", str(target)), 2)
    assert "not empty and not a data folder (it has 5 names, such as 'clean')" in said, said
    assert seen(target) == before


def test_a_new_disk_and_the_leftovers_of_a_crash_count_as_empty(
    executable: str, backup: Path, tmp_path: Path
) -> None:
    for command, source in (("restore", str(backup)), ("backup", str(DATA))):
        target = tmp_path / command
        (target / "lost+found").mkdir(parents=True)
        (target / "lock").write_text("4711\n")
        (target / "format.new").write_text("unfin")
        arguments = (
            [source, "--data", str(target)] if command == "restore" else [str(target), "--data", source]
        )
        done = run(executable, command, *arguments)
        assert done.returncode == 0, done
        assert (target / "lost+found").is_dir() and not (target / "format.new").exists()
        assert run(executable, "verify", "--data", str(target)).returncode == 0


@pytest.mark.parametrize("name", ["sessions.removed", "sessions.new", "clean", "tls-old"])
def test_a_restore_does_not_remove_its_own_source(
    executable: str, backup: Path, tmp_path: Path, name: str
) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "format").write_text("1\n")
    shutil.move(backup, target / name / "monday")
    before = seen(target)
    said = sentence(run(executable, "restore", str(target / name / "monday"), "--data", str(target)), 2)
    assert f"the source is inside '{name}' of {target}" in said, said
    after = seen(target)
    after.pop("lock", None)
    assert after == before


def test_an_existing_backup_is_not_replaced(executable: str, backup: Path, tmp_path: Path) -> None:
    target = tmp_path / "target"
    shutil.move(backup, target / "backups" / "monday")
    before = seen(target / "backups")
    assert (
        run(executable, "restore", str(target / "backups" / "monday"), "--data", str(target)).returncode == 0
    )
    assert seen(target / "backups") == before
    assert run(executable, "verify", "--data", str(target)).returncode == 0


@pytest.mark.parametrize(
    "name", ["clean", "format.new", "sessions.old/1", "tls-cert.pem", "sessions.new", "new/../clean"]
)
def test_a_backup_cannot_use_names_of_the_data_folder(
    executable: str, tmp_path: Path, name: str
) -> None:
    data = tmp_path / "data"
    shutil.copytree(DATA, data)
    before = seen(data)
    sentence(run(executable, "backup", str(data / name), "--data", str(data)), 2)
    assert seen(data) == before


def test_a_restore_uses_the_backups_certificate_and_keeps_the_folders(
    executable: str, backup: Path, tmp_path: Path
) -> None:
    target = tmp_path / "target"
    target.mkdir()
    (target / "format").write_text("1\n")
    for round, suffix in enumerate(("replaced", "replaced-2")):
        for name in PAIR:
            (target / name).write_text(f"{name} of the folder {round}")
        done = run(executable, "restore", str(backup), "--data", str(target))
        said = f"; the previous certificate was renamed to tls-cert.pem.{suffix}\n"
        assert done.returncode == 0 and done.stdout.endswith(said), done
        for name in PAIR:
            assert (target / name).read_text() == f"{name} of the backup"
            assert (target / f"{name}.{suffix}").read_text() == f"{name} of the folder {round}"
        shutil.rmtree(target / "sessions")
    done = run(executable, "restore", str(backup), "--data", str(target))
    assert done.returncode == 0 and "previous certificate" not in done.stdout, done


def test_an_unreadable_key_is_reported_and_the_rest_is_copied(executable: str, tmp_path: Path) -> None:
    data, folder = tmp_path / "data", tmp_path / "backup"
    shutil.copytree(DATA, data)
    for name in PAIR:
        (data / name).write_text(name)
    (data / "tls-key.pem").chmod(0)

    def without_privileges() -> None:
        # PR_CAPBSET_DROP of CAP_DAC_OVERRIDE and CAP_DAC_READ_SEARCH: it fails without privileges, and is not needed
        # then.
        for capability in (1, 2):
            ctypes.CDLL(None).prctl(24, capability, 0, 0, 0)

    done = limited(executable, "backup", str(folder), "--data", str(data), by=without_privileges)
    assert done.returncode == 1 and done.stdout.startswith(f"backup in {folder}: "), done
    assert done.stderr == (
        "drawtogether: cannot read the certificate of the data folder or its key: Permission denied; "
        "the certificate is not copied\n"
    )
    assert sorted(path.name for path in folder.iterdir()) == ["format", "lock", "sessions"]
    assert run(executable, "verify", "--data", str(folder)).returncode == 0


@pytest.mark.no_thread_sanitizer
@pytest.mark.parametrize("length", [0, 10])
def test_a_failed_start_leaves_nothing_and_can_be_repeated(
    executable: str, tmp_path: Path, length: int
) -> None:
    arguments = ["backup", str(tmp_path / "above" / "backup"), "--data", str(DATA)]
    sentence(limited(executable, *arguments, by=files_up_to(length)), 2)
    assert not list(tmp_path.iterdir())
    assert run(executable, *arguments).returncode == 0


def test_an_unsuitable_backup_folder_is_named_in_the_error(executable: str, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    for name in ("file", "file/below"):
        path = tmp_path / name
        said = sentence(run(executable, "backup", str(path), "--data", str(DATA)), 2)
        assert said == f"drawtogether: {path} is not a folder\n"


def test_an_argument_that_is_both_a_folder_and_an_id_prefix_is_ambiguous(
    executable: str, backup: Path, tmp_path: Path
) -> None:
    name = next((DATA / "sessions").iterdir()).name[:6]
    backup.rename(tmp_path / name)

    def restored(data: Path) -> subprocess.CompletedProcess[str]:
        command = [executable, "restore", name, "--data", str(data)]
        return subprocess.run(
            command, capture_output=True, text=True, timeout=20, env=environment(), cwd=tmp_path
        )  # fmt: skip

    assert sentence(restored(DATA), 1) == (
        f"drawtogether: {name} is a folder, and also the beginning of a session's id in {DATA}: "
        f"write ./{name} for the folder, or more characters of the session's id\n"
    )
    assert restored(tmp_path / "target").returncode == 0


async def test_a_second_backup_to_the_same_folder_names_the_first_process(
    executable: str, tmp_path: Path
) -> None:
    folder, data = tmp_path / "backup", tmp_path / "data"
    shutil.copytree(DATA, data)
    # A command that takes a while.
    session = next((data / "sessions").iterdir())
    with (session / "log.damaged-1").open("wb") as file:
        file.truncate(128 << 20)
    first = subprocess.Popen(
        [executable, "backup", str(folder), "--data", str(data)],
        stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=environment(),
    )  # fmt: skip
    try:
        await until(lambda: (folder / "format").exists(), "it begins", every=0)
        first.send_signal(signal.SIGSTOP)
        assert (folder / "format").read_text() == "unfinished backup\n", "the first was too quick to be met"
        said = sentence(run(executable, "backup", str(folder), "--data", str(data)), 2)
        assert f"the folder {folder} is in use by process {first.pid}" in said, said
    finally:
        first.kill()
        first.wait()

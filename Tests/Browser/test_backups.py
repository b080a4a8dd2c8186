"""The page after the restore of a backup: all participants continue from its content."""

from __future__ import annotations

import hashlib
import os
import random
import shutil
import signal
import subprocess
from pathlib import Path
from urllib.parse import urlsplit

from board import all_hold_the_same, are_drawn, draw, items, kept, line, pick, says, sees_ink, sees_paper, sees_people, share
from conftest import in_full, until
from gateway import Gateway, binary
from journal import Journal
from photos import TEAL, drop, photo
from proxy import Proxy
from test_restarts import own, strokes

__all__ = ["own"]
MB = 1024 * 1024


def command(*arguments: str | Path) -> None:
    environment = {name: value for name, value in os.environ.items() if not name.startswith("DRAWTOGETHER")}
    done = subprocess.run([binary(), *arguments], capture_output=True, text=True, timeout=60, env=environment)
    assert done.returncode == 0, done


def go_back(own: Gateway, backup: Path) -> None:
    """Starts the gateway with the backup's content only."""
    for path in Path(own.data.name).iterdir():
        shutil.rmtree(path) if path.is_dir() else path.unlink()
    command("restore", backup, "--data", own.data.name)
    own.start()


# The tests of the contract restore backups, too.
@in_full
def test_participants_continue_from_a_restored_backup(chromium, open_page, own, tmp_path):
    a = open_page(chromium, own.http)
    path = share(a)
    b = open_page(chromium, own.http + path)
    sees_people(a, 2)
    for page, y in ((a, 100), (b, 150), (a, 200)):
        draw(page, line(100, y, 300, y))
    # It is selected then, so that it can be moved.
    drop(a, (700, 300), photo(tmp_path, "before.jpg", TEAL, (240, 160)))
    for page in (a, b):
        are_drawn(page, "before.jpg")
        until(lambda page=page: (strokes(page), kept(page)), lambda found: found == (3, 0))
    command("backup", tmp_path / "backup", "--data", own.data.name)
    a.keyboard.press("p")
    # These later changes are known only to participants that were present.
    c = open_page(chromium, own.http + path)
    sees_people(a, 3)
    drop(b, (700, 500), photo(tmp_path, "after.jpg", TEAL, (240, 160)))
    for page in (a, b, c):
        are_drawn(page, "before.jpg", "after.jpg")
    # A save of a later entry covers it too, so that it is not sent again.
    b.keyboard.press("p")
    for page, y in ((a, 250), (b, 300), (c, 350)):
        draw(page, line(100, y, 300, y))
    for page in (a, b, c):
        until(lambda page=page: (strokes(page), kept(page)), lambda found: found == (6, 0))
    later = open_page(chromium, own.http)
    share(later)
    draw(later, line(100, 100, 300, 100))
    until(lambda: kept(later) == 0)
    numbers = [page.evaluate("drawTogether.me.number") for page in (a, b)]
    own.halt(signal.SIGKILL)
    draw(a, line(100, 400, 300, 400))
    draw(c, line(100, 450, 300, 450))
    go_back(own, tmp_path / "backup")
    for page in (a, b, c):
        until(lambda page=page: strokes(page), lambda count: count == 5, 20)
        are_drawn(page, "before.jpg")
        for y in (100, 150, 200, 400, 450):
            sees_ink(page, 200, y)
        for y in (250, 300, 350):
            sees_paper(page, 200, y)
        assert page.locator("dialog[open]").count() == 0
    assert [page.evaluate("drawTogether.me.number") for page in (a, b)] == numbers
    sees_people(a, 3)
    for page, y in ((a, 500), (b, 550), (c, 600)):
        draw(page, line(100, y, 300, y))
    # An undo of a removed item has no effect.
    for _ in range(3):
        a.keyboard.press("Control+z")
    for page in (a, b, c):
        until(lambda page=page: kept(page) == 0)
    late = open_page(chromium, own.http + path)
    all_hold_the_same(a, b, c, late)
    for page in (a, b, c, late):
        sees_ink(page, 200, 550)
        sees_ink(page, 200, 600)
        sees_paper(page, 200, 500)
    # The session is younger than the backup: its picture is still here, and can be shared again.
    says(later, "dialog[open]", "This session no longer exists")
    says(later, "dialog[open]", "The server does not have it any more.")
    sees_ink(later, 200, 100)


@in_full
def test_an_upload_continues_at_the_offset_of_the_backup(chromium, open_page, own, tmp_path):
    path = tmp_path / "holiday.bin"
    path.write_bytes(random.Random(6).randbytes(16 * MB))
    address = urlsplit(own.http)
    slow = Proxy((address.hostname, address.port))
    try:
        a = open_page(chromium, f"http://127.0.0.1:{slow.port}/")
        journal = Journal(own.http, share(a)[2:])
        slow.bytes_per_second = 4 * MB
        pick(a, path)
        until(journal.list, lambda found: found and found[0]["offset"] > 2 * MB, 30)
        command("backup", tmp_path / "backup", "--data", own.data.name)
        until(journal.list, lambda found: found[0]["offset"] > 7 * MB, 30)
        own.halt(signal.SIGKILL)
        go_back(own, tmp_path / "backup")
        slow.bytes_per_second = None
        (whole,) = until(journal.list, lambda found: found and found[0]["state"] == "ready", 60)
        assert whole["sha256"] == hashlib.sha256(path.read_bytes()).hexdigest()
        until(lambda: [one["state"] for one in items(a)], lambda found: found == ["ready"])
    finally:
        slow.close()

"""`drawtogether join`: a participant in a terminal, beside one that uses the wire protocol directly."""

from __future__ import annotations

import asyncio
import json
import os
import pty
import signal
import struct
import subprocess
import termios
import zlib
from collections.abc import Callable
from contextlib import asynccontextmanager
from fcntl import ioctl
from pathlib import Path
from typing import Any

import pytest

from client import Client
from command import environment, run
from gateway import Gateway
from room import Room
from wire import RELIABLE, REPLACE, Entry, Outgoing

Join = Callable[..., "asyncio.Future[subprocess.CompletedProcess[str]]"]
SECONDS = 15.0
TEXT = "UpsertTextMessage"
# A rectangle with its diagonals.
POINTS = [[100, 150], [100, 100], [200, 100], [200, 150], [100, 150], [200, 100], [100, 100], [200, 150]]
STROKE = Outgoing(
    "UpsertStrokeMessage",
    json.dumps({"point": [200, 150], "points": POINTS, "width": 4}).encode(),
    RELIABLE | REPLACE,
    b"s" * 16,
)


@pytest.fixture
def join(executable: str) -> Join:
    """Returns a function that runs `join` until it exits."""
    return lambda *arguments, **variables: asyncio.to_thread(run, executable, "join", *arguments, **variables)


def link(gateway: Gateway, room: Room) -> str:
    return f"http://{gateway.host}/s/{room.id}"


def said(client: Client) -> list[Entry]:
    """Returns the participants' messages that this client received, retained and live."""
    told = [*(entry for snapshot in client.snapshots for entry in snapshot), *client.received]
    return [entry for entry in told if not entry.is_system]


class Tail:
    """A running `join LINK tail`, with its lines."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.lines: list[dict[str, Any]] = []

    async def until(self, event: str, **members: Any) -> dict[str, Any]:
        """Returns the next line of an event with these members. Earlier lines are kept in `lines`."""
        assert self.process.stdout
        async with asyncio.timeout(SECONDS):
            while line := await self.process.stdout.readline():
                self.lines.append(json.loads(line))
                if self.lines[-1]["event"] == event and members.items() <= self.lines[-1].items():
                    return self.lines[-1]
        raise AssertionError(f"no {event} with {members} in {self.lines}")

    async def end(self) -> tuple[int, str]:
        """Returns the exit code and the standard error."""
        assert self.process.stderr
        async with asyncio.timeout(SECONDS):
            errors = await self.process.stderr.read()
            return await self.process.wait(), errors.decode()


@asynccontextmanager
async def tailing(executable: str, *arguments: str):
    """Runs `tail` in the session for the duration of a block."""
    process = await asyncio.create_subprocess_exec(
        executable, "join", *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, env=environment(),
        limit=1 << 20,
    )  # fmt: skip
    tail = Tail(process)
    try:
        await tail.until("live")
        yield tail
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()


async def test_say_puts_a_text_below_existing_marks(gateway: Gateway, join: Join) -> None:
    async with Room(gateway) as room:
        ben = await room.join("Ben")
        ben.send(STROKE)
        await ben.committed()
        done = await join(link(gateway, room), "say", "Good", "morning", "--color", "#123456")
        assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        # `say` returns when the text is on the disk: a participant that joins now gets it.
        late = await room.join("Late")
        for client in (ben, late):
            await client.wait_for(lambda c=client: any(e.type == TEXT for e in said(c)), "the text")
        entry = said(late)[-1]
        text = json.loads(entry.payload)
        assert (text["text"], text["rgb"], entry.retention) == ("Good morning", "#123456", REPLACE)
        assert text["point"][1] > 150, "the stroke ends at 150"


async def test_a_text_has_the_requested_color_even_if_another_person_has_that_color(gateway: Gateway, join: Join) -> None:
    async with Room(gateway) as room:
        ben = await room.client().join(name="Ben", color="#ff0000")
        done = await join(link(gateway, room), "say", "hello", "--color", "#ff0000")
        assert (done.returncode, done.stderr) == (0, "")
        await ben.wait_for(lambda: any(entry.type == TEXT for entry in said(ben)), "the text")
        assert json.loads(said(ben)[-1].payload)["rgb"] == "#ff0000"


async def test_tail_prints_joins_and_messages_until_the_session_ends(
    gateway: Gateway, executable: str, join: Join
) -> None:
    async with Room(gateway) as room:
        ben = await room.join("Ben")
        ben.send(Outgoing("Note", b'{"n": 1}', RELIABLE | REPLACE, b"k" * 16))
        await ben.committed()
        async with (
            tailing(executable, link(gateway, room), "tail", "--name", "Tim") as live,
            tailing(executable, link(gateway, room), "tail", "--since-start") as all_of_it,
        ):
            assert [line for line in live.lines if line["event"] == "message"] == []
            (kept,) = [line for line in all_of_it.lines if line["event"] == "message"]
            assert (kept["type"], kept["payload"], kept["retention"]) == ("Note", {"n": 1}, "replace")
            assert kept["from"] == {"name": "Ben", "id": ben.id}
            ben.send(Outgoing("Raw", b"\xff\x00", RELIABLE))
            raw = await live.until("message", type="Raw")
            assert raw["payloadBase64"] == "/wA="
            done = await join(link(gateway, room), "say", "hi", "--name", "Zoe")
            assert done.returncode == 0, done
            words = await live.until("message", type="UpsertTextMessage")
            assert words["from"]["name"] == "Zoe"
            assert words["payload"]["text"] == "hi"
            await ben.say(end={})
            for tail in (live, all_of_it):
                await tail.until("ended")
                assert await tail.end() == (0, "")


async def test_attach_adds_a_picture_with_its_size(
    gateway: Gateway, join: Join, tmp_path: Path
) -> None:
    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    rows = b"".join(b"\0" + bytes([row]) * 24 for row in range(4))
    png = b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", 8, 4, 8, 2, 0, 0, 0))
    png += chunk(b"IDAT", zlib.compress(rows)) + chunk(b"IEND", b"")
    (tmp_path / "ä b.png").write_bytes(png)
    (tmp_path / "notes.txt").write_bytes(b"hello")
    async with Room(gateway) as room:
        for name, *flags in (("ä b.png", "--at", "10,20", "--size", "80"), ("notes.txt",)):
            done = await join(link(gateway, room), "attach", str(tmp_path / name), *flags)
            assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
        listed = (await gateway.get(room.path + "/attachments")).json()["attachments"]
        picture, notes = sorted(listed, key=lambda one: one["name"], reverse=True)
        assert (picture["name"], picture["contentType"], picture["state"]) == (
            "ä b.png",
            "image/png",
            "ready",
        )
        placed = {name: value for name, value in picture["metadata"].items() if name != "z"}
        assert placed == {"location": [50, 40], "width": 80, "height": 40}
        assert (await gateway.get(picture["url"])).body == png
        assert (notes["name"], notes["contentType"], notes["size"]) == ("notes.txt", "text/plain", 5)
        shown = await join(link(gateway, room), "watch", COLUMNS="60", LINES="20")
        assert "notes.txt" in shown.stdout


async def test_watch_prints_the_board_once_without_a_terminal(gateway: Gateway, join: Join) -> None:
    async with Room(gateway) as room:
        ben = await room.join("Ben")
        ben.send(STROKE)
        await ben.committed()
        assert (await join(link(gateway, room), "say", "hi")).returncode == 0
        shown = await join(link(gateway, room), "watch", COLUMNS="40", LINES="11")
        assert shown.returncode == 0, shown
        lines = shown.stdout.split("\n")
        assert len(lines) == 11 and max(map(len, lines)) <= 40
        dots = sum("\u2800" < sign <= "\u28ff" for sign in shown.stdout)
        assert dots > 40, shown.stdout
        assert "hi" in shown.stdout
        assert "\x1b" not in shown.stdout


async def test_watch_updates_a_terminal_and_restores_it(
    gateway: Gateway, executable: str, join: Join
) -> None:
    async with Room(gateway) as room:
        ben = await room.join("Ben")
        ours, theirs = pty.openpty()
        ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 12, 60, 0, 0))
        # The environment of the test run may set another color mode.
        plain = {name: value for name, value in environment().items() if name not in ("NO_COLOR", "COLORTERM")}
        variables = plain | {"TERM": "xterm-256color"}
        process = await asyncio.create_subprocess_exec(
            executable, "join", link(gateway, room), "watch", "--name", "Wanda", stdin=theirs, stdout=theirs,
            stderr=theirs, env=variables,
        )  # fmt: skip
        shown = bytearray()
        os.set_blocking(ours, False)
        arrived = asyncio.Event()

        def read() -> None:
            try:
                shown.extend(os.read(ours, 65536))
            except BlockingIOError:
                return
            except OSError:  # the terminal has no program any more
                asyncio.get_running_loop().remove_reader(ours)
            arrived.set()

        async def until(*texts: str) -> None:
            try:
                async with asyncio.timeout(SECONDS):
                    while not all(text.encode() in shown for text in texts):
                        arrived.clear()
                        await arrived.wait()
            except TimeoutError:
                pytest.fail(f"{texts} is not in {bytes(shown)!r}")

        def echoes() -> bool:
            return bool(termios.tcgetattr(theirs)[3] & (termios.ECHO | termios.ICANON))

        assert echoes()
        asyncio.get_running_loop().add_reader(ours, read)
        try:
            await until("\x1b[?1049h", "Ben, Wanda", "0 marks")
            assert not echoes(), "what is typed is no part of the picture"
            assert (await join(link(gateway, room), "say", "hello", "--color", "#ff0000")).returncode == 0
            await until("hello", "\x1b[38;5;196m", "1 mark")
            shown.clear()
            ioctl(ours, termios.TIOCSWINSZ, struct.pack("HHHH", 6, 40, 0, 0))
            process.send_signal(signal.SIGWINCH)
            await until("\x1b[6;1H", "hello")
            process.send_signal(signal.SIGINT)
            async with asyncio.timeout(SECONDS):
                assert await process.wait() == 0
            await until("\x1b[?25h\x1b[?1049l")
            assert echoes(), "the terminal is as it was"
            await ben.system(
                "participants", lambda one: any(p["reason"] == "left" for p in one.get("left", []))
            )
        finally:
            asyncio.get_running_loop().remove_reader(ours)
            if process.returncode is None:
                process.kill()
            os.close(ours)
            os.close(theirs)


async def test_ctrl_c_leaves_the_session(gateway: Gateway, executable: str) -> None:
    async with Room(gateway) as room:
        ben = await room.join("Ben")
        async with tailing(executable, link(gateway, room), "tail") as tail:
            tail.process.send_signal(signal.SIGINT)
            await tail.until("ended")
            assert await tail.end() == (0, "")
            await ben.system(
                "participants", lambda one: any(p["reason"] == "left" for p in one.get("left", []))
            )


async def test_ctrl_c_ends_an_attach_that_waits_for_its_file(executable: str) -> None:
    theirs, ours = os.pipe()
    process = await asyncio.create_subprocess_exec(
        executable, "join", f"http://127.0.0.1:1/s/{'A' * 22}", "attach", "/dev/stdin", stdin=theirs,
        stderr=subprocess.PIPE, env=environment(),
    )  # fmt: skip
    os.close(theirs)
    try:
        async with asyncio.timeout(SECONDS):
            # More bytes than a pipe buffers: once the test reads them, the program catches signals.
            await asyncio.to_thread(os.write, ours, b" " * 1_000_000)
            process.send_signal(signal.SIGINT)
            assert await process.wait() == 1
    finally:
        if process.returncode is None:
            process.kill()
            await process.wait()
        os.close(ours)


async def test_tail_exits_quietly_when_its_reader_is_gone(gateway: Gateway, executable: str) -> None:
    async with Room(gateway) as room:
        ben = await room.join("Ben")
        async with tailing(executable, link(gateway, room), "tail") as tail:
            tail.process._transport.get_pipe_transport(1).close()  # asyncio has no public access to the pipe
            ben.send(Outgoing("Note", b"1", RELIABLE))
            assert await tail.end() == (0, "")


async def test_errors_are_one_sentence(gateway: Gateway, join: Join) -> None:
    async with Room(gateway) as room:
        ben = await room.join("Ben")
        await ben.say(end={})
        await ben.closed()
        ended = link(gateway, room)
        unknown = f"http://{gateway.host}/s/{'A' * 22}"
        nobody = f"http://127.0.0.1:1/s/{'A' * 22}"
        for code, words, arguments in (
            (1, "ended", (ended, "tail")),
            (1, "no such session", (unknown, "watch")),
            (1, "127.0.0.1:1", (nobody, "say", "x")),
            (1, "not a session link", (f"http://{gateway.host}/", "tail")),
            (1, "/nowhere cannot be read (open: No such file", (unknown, "attach", "/nowhere")),
            (2, "join needs the link of a session", ()),
            (2, "join needs the link of a session", ("tail",)),
            (2, 'unknown action "sing"', (unknown, "sing")),
            (2, "say needs a text", (unknown, "say", " ")),
            (2, 'invalid value "1" for --at', (unknown, "say", "x", "--at", "1")),
        ):
            done = await join(*arguments)
            assert (done.returncode, done.stdout) == (code, ""), done
            assert done.stderr.startswith("drawtogether: ") and done.stderr.count("\n") == 1, done
            assert words in done.stderr, done
        assert (await join("--help")).stdout.startswith("Takes part in a session")


async def test_an_untrusted_certificate_is_refused(gateway: Gateway, join: Join) -> None:
    host, port = gateway.https
    async with Room(gateway) as room:
        secure = f"https://{host}:{port}/s/{room.id}"
        refused = await join(secure, "say", "x")
        assert refused.returncode == 1 and "certificate" in refused.stderr, refused
        certificate = str(gateway.folder / "data" / "tls-cert.pem")
        done = await join(secure, "say", "x", "--certificates", certificate)
        assert (done.returncode, done.stderr) == (0, ""), done

"""Section 2.1 after a crash: entries on disk reach participants that were away, once, even if no key retains them
(P2, P3)."""

from __future__ import annotations

import asyncio
import base64
import json
import random
import subprocess
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from pathlib import Path
from typing import Any

import pytest

from client import Client
from command import environment
from lasting import LastingGateway
from polling import until
from room import Room, key, replace
from test_restarts import gone
from wire import RELIABLE, REPLACE, Outgoing

MESSAGES = 100
TARGETED = 0x08
LISTENER = Path(__file__).with_name("pageListener.mjs")


class Told:
    """A program that writes each received message as a line of JSON."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        self.process = process
        self.texts: Counter[str] = Counter()
        self.number = 0
        self.is_live = asyncio.Event()
        self._reading = asyncio.create_task(self._read())

    async def _read(self) -> None:
        assert self.process.stdout
        while line := await self.process.stdout.readline():
            told = json.loads(line)
            match told["event"]:
                case "message" if told.get("retention") != "replace":
                    self.texts[text_of(told)] += 1
                case "live":
                    self.number = told.get("number") or self.number
                    self.is_live.set()
                case "away":
                    self.is_live.clear()
                case "joined":
                    self.number = told["me"].get("number", 0)

    async def end(self) -> None:
        if self.process.returncode is None:
            self.process.kill()
        await self.process.wait()
        self._reading.cancel()


def text_of(told: dict[str, Any]) -> str:
    """Returns the text of a test message in a line of the page or of the Swift client."""
    if "text" in told:
        return told["text"]
    if "payloadBase64" in told:
        return base64.b64decode(told["payloadBase64"]).decode()
    payload = told["payload"]
    return payload["text"] if isinstance(payload, dict) else str(payload)


async def program(stack: AsyncExitStack, *command: str) -> Told:
    process = await asyncio.create_subprocess_exec(
        *command, stdout=subprocess.PIPE, env=environment(), limit=1 << 20
    )
    told = Told(process)
    stack.push_async_callback(told.end)
    async with asyncio.timeout(20):
        await told.is_live.wait()
    return told


def raw_texts(client: Client) -> Counter[str]:
    """Returns the messages that a raw client received. As in Wire.md, those of a sender must have rising client
    sequences."""
    highest: dict[int, int] = {}
    texts: Counter[str] = Counter()
    for entry in client.received_with_snapshots:
        if entry.is_system or entry.retention or entry.client_sequence <= highest.get(entry.sender, 0):
            continue
        highest[entry.sender] = entry.client_sequence
        payload = entry.payload.decode()
        texts[json.loads(payload)["text"] if entry.type == "Note" else payload] += 1
    return texts


def message(text: str, n: int, targets: list[int]) -> Outgoing:
    """Returns a message: every third one has the type `Data`, every fourth of the others has targets."""
    if n % 3 == 0:
        return Outgoing("Data", f"data {text}".encode(), RELIABLE)
    payload = json.dumps({"text": text}).encode()
    if n % 4 == 0:
        return Outgoing("Note", payload, RELIABLE | TARGETED, targets=tuple(targets))
    return Outgoing("Note", payload, RELIABLE)


def texts(round_: int) -> list[str]:
    return [f"{'data ' if n % 3 == 0 else ''}{round_}/{n}" for n in range(MESSAGES)]


def rounds(request: pytest.FixtureRequest) -> int:
    return 50 if request.config.getoption("--full") else 3


@pytest.mark.seconds(900)
async def test_unretained_messages_are_delivered_once_across_a_kill(
    lasting_with: Callable[..., LastingGateway], executable: str, request: pytest.FixtureRequest
) -> None:
    chance = random.Random(16)
    lasting = lasting_with()
    async with Room(lasting) as room, AsyncExitStack() as stack:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        link = f"http://{lasting.host}/s/{room.id}"
        page = await program(stack, "node", "--experimental-websocket", "--no-warnings", str(LISTENER), link)
        swift = await program(stack, executable, "join", link, "tail", "--name", "Swift")
        everybody = [3, 4]
        assert page.number == 3
        # After the kill, a participant that is not on disk would be a new one.
        ada.send(replace(1, "all are here"))
        await ada.committed()
        expected: Counter[str] = Counter()
        for round_ in range(rounds(request)):
            if chance.random() < 0.3:
                await ben.cut()
            sent = chance.randrange(10, MESSAGES)
            for n in range(sent):
                ada.send(message(f"{round_}/{n}", n, [ben.number, *everybody]))
                # One by one, so that the kill happens between some of them.
                await ada.wait_for(lambda: not ada.outbox.has_unsent, "it is on the socket")
            await asyncio.to_thread(lasting.kill)
            await gone(ada)
            await asyncio.to_thread(lasting.start)
            people = [ada, ben]
            chance.shuffle(people)
            for person in people:
                await person.join()
            ada.send(*[message(f"{round_}/{n}", n, [ben.number, *everybody]) for n in range(sent, MESSAGES)])
            await ada.committed()
            expected.update(texts(round_))
            for name, told in {
                "raw": lambda: raw_texts(ben), "page": lambda: page.texts, "Swift": lambda: swift.texts,
            }.items():  # fmt: skip
                try:
                    await until(lambda told=told: told() >= expected, f"{name} is told of all", 15)
                finally:
                    assert told() == expected, (round_, name, expected - told(), told() - expected)


async def test_two_crashes_in_a_row_lose_no_message(lasting: LastingGateway) -> None:
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ben.cut()
        ada.send(*[Outgoing("Note", b"%d" % n, RELIABLE) for n in range(50)])
        await ada.committed()
        for _ in range(2):
            await lasting.again("crash")
        await gone(ada)
        await ada.join()
        assert ada.catch_ups[-1] == "tail"
        ada.send(*[Outgoing("Note", b"%d" % n, RELIABLE) for n in range(50, 100)])
        await ada.committed()
        await lasting.again("crash")
        await ben.join()
        assert ben.catch_ups[-1] == "tail"
        assert [entry.payload for entry in ben.received if entry.type == "Note"] == [b"%d" % n for n in range(100)]


async def test_a_compaction_between_two_crashes_loses_no_message(
    lasting_with: Callable[..., LastingGateway],
) -> None:
    lasting = lasting_with(catchUpTailBytes=1 << 20)
    async with Room(lasting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")

        async def draw() -> None:
            ada.send(Outgoing("Mark", bytes(131_000), RELIABLE | REPLACE, key(1)))
            await ada.committed()

        # A little less than a compaction needs.
        for _ in range(26):
            await draw()
        await ben.cut()
        # Messages received before the cut must not come again.
        await ben.join()
        await ben.cut()
        ada.send(*[Outgoing("Note", b"%d" % n, RELIABLE) for n in range(50)])
        await ada.committed()
        await lasting.again("crash")
        await gone(ada)
        await ada.join()
        length = log_length(lasting)
        for _ in range(7):
            await draw()
        await until(lambda: log_length(lasting) < length, "the log is compacted")
        ada.send(*[Outgoing("Note", b"%d" % n, RELIABLE) for n in range(50, 100)])
        await ada.committed()
        await lasting.again("crash")
        await ben.join()
        assert ben.catch_ups[-1] == "tail"
        assert [entry.payload for entry in ben.received if entry.type == "Note"] == [b"%d" % n for n in range(100)]


def log_length(lasting: LastingGateway) -> int:
    (log,) = lasting.data.glob("sessions/*/log")
    return log.stat().st_size

"""A client of the gateway that joins, resumes, sends exactly once, and rebuilds the retained state."""

from __future__ import annotations

import asyncio
import json
import ssl
from collections.abc import Callable
from typing import Any

import websockets
from websockets.asyncio.client import ClientConnection, connect

from outbox import Outbox
from retained import Retained
from wire import Entry, Outgoing, entries

PATIENCE = 20.0
SUBPROTOCOL = "drawtogether.v1"
BATCH = 64 * 1024


class Client:
    """One participant, with one socket at a time."""

    def __init__(self, url: str, *, tls: ssl.SSLContext | None = None, **options: Any) -> None:
        self.url = url
        self._options = {
            "subprotocols": [SUBPROTOCOL], "proxy": None, "ping_interval": None, "ssl": tls,
            "max_size": 8 << 20, "close_timeout": 5, "compression": "deflate",
        } | options  # fmt: skip
        self.outbox = Outbox()
        self.retained = Retained()
        self.token: str | None = None
        self.epoch: str | None = None
        self.after: int | None = None
        self.last = 0
        """The newest applied sequence of this epoch; live entries must be above it."""
        self.catch_ups: list[str] = []
        self.controls: list[dict[str, Any]] = []
        self.received: list[Entry] = []
        """Every received entry in order, without those of snapshots."""
        self.received_with_snapshots: list[Entry] = []
        """Every received entry in order."""
        self.snapshots: list[list[Entry]] = []
        """The entries of every snapshot."""
        self.close: tuple[int, str] | None = None
        self.must_resume = False
        """True after a snapshot while own entries were in flight: only a resume shows which of them arrived."""
        self.failure: BaseException | None = None
        self.may_read = asyncio.Event()
        self.may_read.set()
        self._ws: ClientConnection | None = None
        self._tasks: list[asyncio.Task[None]] = []
        self._catching_up: dict[str, Any] | None = None
        self._may_send = False
        self._awaits_catch_up = False
        self._paused_until = 0.0
        self._changed = asyncio.Event()
        self._wake = asyncio.Event()

    async def __aenter__(self) -> Client:
        return self

    async def __aexit__(self, *_: object) -> None:
        await self.cut()

    # For tests and programs.

    @property
    def ws(self) -> ClientConnection:
        assert self._ws is not None, "not connected"
        return self._ws

    @property
    def joined(self) -> dict[str, Any]:
        """The newest `joined` message."""
        return self.last_control("joined")

    @property
    def number(self) -> int:
        return self.joined["participant"]["number"]

    @property
    def id(self) -> str:
        return self.joined["participant"]["id"]

    @property
    def errors(self) -> list[dict[str, Any]]:
        return self.all_controls("error")

    def all_controls(self, name: str) -> list[dict[str, Any]]:
        return [message[name] for message in self.controls if name in message]

    def last_control(self, name: str) -> dict[str, Any]:
        return self.all_controls(name)[-1]

    async def connect(self) -> Client:
        """Opens a socket, without sending a message."""
        await self.cut()
        self.close = None
        self._may_send, self._catching_up, self.must_resume = False, None, False
        self._awaits_catch_up = False
        self._ws = await connect(self.url, **self._options)
        self._tasks = [
            asyncio.create_task(self._read(self._ws)), asyncio.create_task(self._write(self._ws))
        ]  # fmt: skip
        return self

    async def join(self, **profile: Any) -> Client:
        """Connects if necessary, joins or resumes, and waits until it is caught up."""
        if self._ws is None or self.close is not None or self.must_resume:
            await self.connect()
        joins = len(self.all_controls("joined"))
        await self.say(join=profile | self.resume())
        await self.wait_for(
            lambda: self.close or (self._may_send and len(self.all_controls("joined")) > joins), "joined"
        )
        if self.close is not None:
            raise ConnectionError(f"closed before it was caught up: {self.close}")
        return self

    def resume(self) -> dict[str, Any]:
        """Returns the `resume` member of a join; empty for a new participant."""
        if self.token is None:
            return {}
        resume: dict[str, Any] = {"token": self.token, "epoch": self.epoch, "next": self.outbox.next}
        if self.after is not None:
            resume["after"] = self.after
        return {"resume": resume}

    async def say(self, **message: Any) -> None:
        """Sends one control message."""
        await self.ws.send(json.dumps(message))

    async def raw(self, *messages: bytes | str) -> None:
        """Sends messages unchanged, without bookkeeping."""
        for message in messages:
            await self.ws.send(message)

    def send(self, *entries_: Outgoing) -> None:
        """Sends reliable entries exactly once, now or after the next catch-up; unreliable ones only if connected."""
        for entry in entries_:
            if entry.flags & 1:
                self.outbox.append(entry)
            elif self._may_send:
                self._tasks.append(asyncio.create_task(self.raw(entry.encoded(0))))
        self._wake.set()

    async def send_paced(self, *entries_: Outgoing, at_once: int = 10) -> None:
        """Sends a few entries at a time and waits for `committed` in between."""
        for first in range(0, len(entries_), at_once):
            self.send(*entries_[first : first + at_once])
            await self.committed()

    async def cut(self) -> None:
        """Breaks the connection without a close frame."""
        self._may_send = False
        if self._ws is not None:
            self._ws.transport.abort()
            for task in self._tasks:
                task.cancel()
            await asyncio.gather(*self._tasks, return_exceptions=True)
            self._tasks = []
            self._ws = None

    async def wait_for(self, condition: Callable[[], Any], what: str, timeout: float = PATIENCE) -> Any:
        """Waits for messages until the condition holds."""
        try:
            async with asyncio.timeout(timeout):
                while True:
                    if self.failure is not None:
                        raise self.failure
                    if answer := condition():
                        return answer
                    self._changed.clear()
                    await self._changed.wait()
        except TimeoutError:
            tail = self.controls[-3:], self.received[-3:], self.close
            raise AssertionError(f"not within {timeout} s: {what}; last: {tail}") from None

    async def control(self, name: str, count: int = 1) -> dict[str, Any]:
        """Waits for this number of control messages of that name, and returns the newest."""
        await self.wait_for(lambda: len(self.all_controls(name)) >= count, f"{count} × {name}")
        return self.last_control(name)

    async def error(self, count: int = 1) -> dict[str, Any]:
        return await self.control("error", count)

    async def got(self, *payloads: bytes) -> list[Entry]:
        """Waits for client entries with these payloads, outside snapshots, and returns the entries in that order."""

        def found() -> list[Entry]:
            by_payload = {entry.payload: entry for entry in self.received if not entry.is_system}
            return [by_payload[payload] for payload in payloads if payload in by_payload]

        await self.wait_for(lambda: len(found()) == len(payloads), f"entries {payloads[:4]}")
        return found()

    async def system(self, type_: str, matches: Callable[[Any], Any] = lambda _: True) -> Any:
        """Waits for a live system entry of that type, and returns its payload."""

        def found() -> Any:
            for entry in self.received:
                is_told = entry.is_system and entry.type == type_ and entry.payload
                if is_told and matches(json.loads(entry.payload)):
                    return json.loads(entry.payload)

        return await self.wait_for(found, f"system entry {type_}")

    async def closed(self, timeout: float = PATIENCE) -> tuple[int, dict[str, Any]]:
        """Waits for the gateway to close, and returns the code and the parsed reason."""
        code, reason = await self.wait_for(lambda: self.close, "a close", timeout)
        assert len(reason.encode()) <= 123
        return code, json.loads(reason) if reason else {}

    async def committed(self) -> None:
        """Waits until all sent entries are committed."""
        while self.outbox:
            await self.wait_for(lambda: not self.outbox or self.must_resume, "everything committed")
            if self.must_resume:
                await self.join()

    # Received messages.

    async def _read(self, ws: ClientConnection) -> None:
        try:
            while True:
                await self.may_read.wait()
                message = await ws.recv()
                if isinstance(message, str):
                    self._receive_control(json.loads(message))
                else:
                    for entry in entries(message):
                        self._receive_entry(entry)
                self._changed.set()
        except websockets.ConnectionClosed as closed:
            self.close = (closed.rcvd.code, closed.rcvd.reason) if closed.rcvd else (1006, "")
            if closed.rcvd is None and closed.sent and closed.sent.code in (1002, 1007, 1009):
                self.failure = AssertionError(f"the gateway broke RFC 6455: {closed.sent}")
            if self.close[0] == 4009:
                self.token = None
        except Exception as error:  # a violation by the gateway, reported to the waiting caller
            self.failure = error
        self._may_send = False
        self._changed.set()

    async def _write(self, ws: ClientConnection) -> None:
        loop = asyncio.get_running_loop()
        while True:
            await self._wake.wait()
            self._wake.clear()
            while self._may_send and self.outbox.has_unsent:
                if (wait := self._paused_until - loop.time()) > 0:
                    await asyncio.sleep(wait)
                    continue
                try:
                    if message := self.outbox.take(BATCH):
                        await ws.send(message)
                except websockets.ConnectionClosed:
                    return

    def _receive_control(self, message: dict[str, Any]) -> None:
        assert len(message) == 1, f"not one member that names it: {message}"
        self.controls.append(message)
        ((name, content),) = message.items()
        if name == "joined":
            self._receive_joined(content)
        elif name == "catchUp":
            self._begin_catch_up(content)
        elif name == "caughtUp":
            self._end_catch_up(content)
        elif name == "committed":
            assert not self._awaits_catch_up, "committed between joined and catchUp"
            self.outbox.commit(content["sequence"])
        elif name == "error":
            self._receive_error(content)

    def _receive_joined(self, joined: dict[str, Any]) -> None:
        self._awaits_catch_up = True
        if joined["resumed"]:
            self.outbox.resumed(
                joined["acknowledged"], joined["sequence"], joined["committed"],
                is_same_epoch=joined["epoch"] == self.epoch,
            )  # fmt: skip
        else:
            assert joined["acknowledged"] == 0
            self.outbox.begins_anew(keeps_acknowledged=self.token is not None)
        self.token = joined["token"]

    def _begin_catch_up(self, catch_up: dict[str, Any]) -> None:
        assert catch_up["sequence"] >= self.joined["sequence"], "N is below the sequence of joined"
        self.catch_ups.append(catch_up["kind"])
        self._catching_up = catch_up
        if catch_up["kind"] == "snapshot":
            self.retained, self.last, self.after = Retained(), 0, None
            self.must_resume = self._may_send and self.outbox.has_unacknowledged
            self.snapshots.append([])
        else:
            assert self.after is not None, "a tail that was not asked for"
            self.last = self.after
        assert catch_up["epoch"] == self.joined["epoch"], "a catch-up of another epoch"
        # Until here `after` belongs to the epoch in which the socket broke.
        self.epoch = catch_up["epoch"]
        self._awaits_catch_up = False

    def _end_catch_up(self, caught_up: dict[str, Any]) -> None:
        assert self._catching_up is not None, "caughtUp without catchUp"
        assert caught_up["sequence"] == self._catching_up["sequence"]
        assert self.last <= caught_up["sequence"], "the catch-up went past its own N"
        self._catching_up = None
        self.after = self.last = caught_up["sequence"]
        self._may_send = True
        self._wake.set()

    def _receive_error(self, error: dict[str, Any]) -> None:
        number = error.get("clientSequence")
        if error["code"] in ("rate-limited", "session-quota", "storage-full") and number:
            self._paused_until = asyncio.get_running_loop().time() + error.get("retryAfterMs", 100) / 1000
            self.outbox.send_again_from(number)
        elif error["code"] == "sequence-gap":
            self.outbox.send_again_from(error["expected"])
        elif number:
            self.outbox.refused(number)
        self._wake.set()

    def _receive_entry(self, entry: Entry) -> None:
        in_snapshot = self._catching_up is not None and self._catching_up["kind"] == "snapshot"
        self.received_with_snapshots.append(entry)
        if in_snapshot:
            self.snapshots[-1].append(entry)
            assert entry.is_reliable, "an unreliable entry in a snapshot"
            assert entry.sequence > self.last or (entry.sequence == 0 and self.last == 0 and entry.is_system)
        else:
            self.received.append(entry)
            if entry.is_reliable:
                assert entry.sequence > self.last, f"{entry.sequence} comes after {self.last}"
        if entry.is_reliable:
            self.last = max(self.last, entry.sequence)
            if self.after is not None and not in_snapshot:
                self.after = self.last
            if self.token and not in_snapshot and entry.sender == self.number:
                self.outbox.came_back(entry.client_sequence, entry.sequence)
        self.retained.apply(entry)

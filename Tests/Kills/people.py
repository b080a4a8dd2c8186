"""The drawers, the new participants that only look, and their reconnects."""

from __future__ import annotations

import asyncio
import random
from itertools import count
from typing import Any

import websockets

from client import Client
from lasting import LastingGateway
from sent import WRONG, Life, Script
from story import Story
from wire import Entry, Outgoing

AWAY = (OSError, EOFError, TimeoutError, websockets.WebSocketException)
OPEN_SECONDS = 5


class Person(Client):
    """A client that reports its received messages to the story."""

    def __init__(self, gateway: LastingGateway, story: Story, name: str) -> None:
        compression = "deflate" if len(story.people) % 2 else None
        url = gateway.socket_url(story.session)
        super().__init__(url, compression=compression, open_timeout=OPEN_SECONDS, close_timeout=1)
        self.story, self.name = story, name
        self._tail_after: int | None = None

    @property
    def is_present(self) -> bool:
        """Returns true if it is joined, caught up and may send."""
        return self._may_send and self.close is None

    @property
    def is_cut_off(self) -> bool:
        return self._ws is None or self.close is not None

    def forget(self) -> None:
        """Drops the collected messages, except the newest answer to a join."""
        self.controls = [message for message in self.controls if "joined" in message][-1:]
        self.received.clear()
        self.snapshots.clear()
        self.catch_ups.clear()

    def _receive_joined(self, joined: dict[str, Any]) -> None:
        super()._receive_joined(joined)
        self.story.joined(self, joined)

    def _receive_control(self, message: dict[str, Any]) -> None:
        super()._receive_control(message)
        if "committed" in message:
            self.story.told(message["committed"]["sequence"])

    def _begin_catch_up(self, catch_up: dict[str, Any]) -> None:
        self.story.broke_off(self)
        self._tail_after = self.after if catch_up["kind"] == "tail" else None
        super()._begin_catch_up(catch_up)

    def _end_catch_up(self, caught_up: dict[str, Any]) -> None:
        super()._end_catch_up(caught_up)
        self.story.caught_up(self, caught_up["sequence"], self._tail_after)

    def _receive_entry(self, entry: Entry) -> None:
        in_snapshot = self._catching_up is not None and self._catching_up["kind"] == "snapshot"
        super()._receive_entry(entry)
        self.story.saw(self, entry, in_snapshot)


class Drawer(Person):
    """A participant that draws while the gateway is reachable, and reconnects after every cut."""

    def __init__(self, gateway: LastingGateway, story: Story, index: int, seed: str) -> None:
        super().__init__(gateway, story, f"drawer {index}")
        self.index = index
        self.chance = random.Random(f"{seed}/pace")
        self.script = Script(index, seed)
        self.may_come = asyncio.Event()
        self.is_idle = asyncio.Event()
        self.is_at_work = False
        self.burst = 0
        """The number of large replaces to send at the next opportunity."""
        self._names = count(1)
        self.life: Life | None = None
        self.came_back_to: tuple[str, int | None] | None = None
        """The epoch and the sequence in the first `joined` of this round; None before, and for new participants."""

    @property
    def is_done(self) -> bool:
        return not self.outbox

    def _receive_joined(self, joined: dict[str, Any]) -> None:
        life, kept = self.life, self.outbox.entries
        if life is None or not joined["resumed"]:
            if life is not None:
                self._check_unknown(life, kept)
            participant = joined["participant"]
            self.life = Life(self.index, participant["number"], participant["id"], kept)
            self.story.lives[self.life.number] = self.life
        super()._receive_joined(joined)
        self._check_acknowledged(joined)

    def _check_unknown(self, life: Life, kept: list[Outgoing]) -> None:
        """After a crash, only a participant without committed entries may be unknown."""
        assert not life.is_committed and not life.committed, (
            f"{self.name} is unknown, though committed: {life.id}"
        )
        held = [entry for entry in life.entries if entry.type != WRONG]
        assert [entry for entry in kept if entry.type != WRONG] == held

    def _check_acknowledged(self, joined: dict[str, Any]) -> None:
        life, acknowledged = self.life, joined["acknowledged"]
        assert life is not None
        told = joined["participant"]["number"], joined["participant"]["id"]
        assert told == (life.number, life.id), f"{self.name} was {life.number} {life.id}, and is {told}"
        least = max(life.committed, self.story.seen_of(life.number))
        assert least <= acknowledged <= len(life.entries), (
            f"{self.name}: {acknowledged} acknowledged of {len(life.entries)}, {least} at least are kept"
        )

    def forget(self) -> None:
        super().forget()
        self.came_back_to = None

    def resume(self) -> dict[str, Any]:
        if self.epoch is not None and self.token is not None and not self.catch_ups:
            self.came_back_to = self.epoch, self.after
        return super().resume()

    def send(self, *entries_: Outgoing) -> None:
        if self.life is not None:
            self.life.entries += [entry for entry in entries_ if entry.flags & 1]
        super().send(*entries_)

    async def stay(self) -> None:
        """Joins repeatedly until cancelled, whenever it may."""
        while True:
            self.is_idle.set()
            await self.may_come.wait()
            self.is_idle.clear()
            try:
                await self.join(**({} if self.token else {"name": f"Drawer {self.index} 0"}))
                await self.wait_for(lambda: self.close or self.must_resume, "a cut", timeout=900)
            except AWAY:
                await asyncio.sleep(0.002)

    async def draw(self) -> None:
        """Draws until cancelled, at a varying pace, and never far ahead of `committed`."""
        while True:
            await asyncio.sleep(self.chance.uniform(0.001, 0.01))
            if not self.is_at_work or self.life is None or len(self.outbox) > 400:
                continue
            targets = list(self.story.people)[-8:]
            if self.burst:
                self.send(*self.script.burst(self.burst, 8_000))
                self.burst = 0
            self.send(*[self.script.next(targets) for _ in range(self.chance.randint(1, 6))])
            if self._may_send:
                await self._say_something()

    async def _say_something(self) -> None:
        """Sends unreliable entries now and then, and changes the profile and the activity."""
        self.send(Outgoing("Cursor", b"{}", 0))
        what = self.chance.random()
        try:
            if what < 0.02:
                await self.say(profile={"name": f"Drawer {self.index} {next(self._names)}"})
            elif what < 0.04 and self.index % 2 == 0:
                await self.say(activity={"title": f"Activity {next(self._names)}", "payload": None})
        except AWAY:
            return

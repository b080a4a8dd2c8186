"""Two sessions, four drawers and an uploader, over a number of rounds; and how the sessions end."""

from __future__ import annotations

import asyncio
import contextlib
import json
import math
import random
import signal
import time
from collections import Counter
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any

from audit import Auditor
from client import Client
from lasting import LastingGateway
from people import AWAY, Drawer, Person
from polling import until
from sent import Payloads
from story import Story
from uploader import Uploader
from wire import Outgoing

SHORTEST, LONGEST = 0.005, 0.8
"""Seconds that people have after they were let in (or the gateway was ready), until it is killed or stopped."""
STOP_SECONDS = 8
RETRY_SECONDS = 30
KINDS = ("plain", "rush", "start", "drain", "compaction")
WEIGHTS = (10, 5, 2, 3, 4)
BURST = {signal.SIGKILL: 350, signal.SIGTERM: 40}
"""Replaces of 8 KB in a round that is to end while a log is compacted; with SIGTERM the tail must hold them."""


@dataclass
class Finished:
    """A session that nobody is in any more, and what it must still hold."""

    session: str
    payloads: Payloads
    uploader: Uploader


class Era:
    """A few rounds over the same two sessions."""

    def __init__(
        self, gateway: LastingGateway, with_: signal.Signals, seed: str, counts: Counter[str]
    ) -> None:
        self._gateway, self._signal, self._seed, self._counts = gateway, with_, seed, counts
        self._chance = random.Random(seed)
        self._stories: list[Story] = []
        self._drawers: list[Drawer] = []
        self._uploaders: list[Uploader] = []
        self._auditors: list[Auditor] = []
        self._tasks: list[asyncio.Task[None]] = []
        self._looks: list[asyncio.Task[None]] = []
        """Those that a rush began."""
        self._keeps_epoch: bool | None = None
        """What the newest end of the gateway means for the epoch; None: either is right."""
        self._is_ending = False
        """Whether somebody ends a session just now, so that its people may be told that instead."""
        self.ended: list[str] = []
        self.finished: list[Finished] = []

    # What the run calls, in this order.

    async def begin(self) -> None:
        """Makes the sessions; the gateway must run. Their people come in the first round."""
        for room in range(2):
            story = Story(await self._gateway.create_session())
            seeds = [f"{self._seed}/{index}" for index in (2 * room, 2 * room + 1)]
            drawers = [Drawer(self._gateway, story, 2 * room + n, seed) for n, seed in enumerate(seeds)]
            uploader = Uploader(self._gateway, story, f"{self._seed}/uploads {room}")
            self._stories.append(story)
            self._drawers += drawers
            self._uploaders.append(uploader)
            self._auditors.append(Auditor(self._gateway, story, drawers, self._counts))
        for drawer in self._drawers:
            self._tasks += [asyncio.create_task(drawer.stay()), asyncio.create_task(drawer.draw())]
            drawer.is_at_work = True
        self._uploading = asyncio.create_task(self._uploaders[0].run())
        self._tasks.append(self._uploading)

    async def round(self) -> str:
        """People come (back) and draw, and the gateway is ended at a moment by chance; gives the kind of round."""
        kind = self._chance.choices(KINDS, WEIGHTS)[0]
        if self._signal == signal.SIGTERM and kind in ("start", "drain"):
            kind = "plain"
        epochs = [story.epoch for story in self._stories]
        await self._let_in(is_rush=kind == "rush")
        delay = math.exp(self._chance.uniform(math.log(SHORTEST), math.log(LONGEST)))
        if kind == "compaction":
            for drawer in self._drawers:
                drawer.burst = BURST[self._signal]
            delay = max(delay, LONGEST / 4)
        await asyncio.sleep(delay)
        await self._end_gateway(drains_first=kind == "drain")
        await self._settle()
        self._check_epochs(epochs)
        # What came of this end is seen when they come back.
        self._keeps_epoch = None if kind == "drain" else self._signal == signal.SIGTERM
        for _ in range(self._chance.randint(1, 3) if kind == "start" else 0):
            await self._kill_while_it_starts()
        self._start()
        return kind

    async def finish(self) -> None:
        """Nobody draws any more: all that was sent must be there once, also after one more end of the gateway."""
        await self._let_in(is_rush=False)
        for drawer in self._drawers:
            drawer.is_at_work = False
        self._uploaders[0].is_to_finish = True
        await self._until(lambda: all(drawer.is_done for drawer in self._drawers), "all is committed")
        await self._until(self._uploading.done, "the upload is finished")
        for story, auditor in zip(self._stories, self._auditors, strict=True):
            # What was aimed at somebody else may be the newest that is; this goes to all.
            self._drawers_of(story)[0].send(Outgoing("Note", b"the end"))
            await self._until(
                lambda story=story, auditor=auditor: self._is_quiet(story, auditor), "all see the same"
            )
            self._check_all_hold_the_same(story, auditor)
        await self._uploaders[0].verify()
        await self._end_gateway(drains_first=False)
        await self._settle()
        self._keeps_epoch = self._signal == signal.SIGTERM
        self._start()
        await self._look(is_alone=True)
        self._check_all_accepted()
        await self._uploaders[0].verify()
        await self._end_a_session()
        self.finished.append(self._remember())
        await self.abandon()

    async def abandon(self) -> None:
        """Lets go of everybody."""
        for task in [*self._tasks, *self._looks]:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._looks, return_exceptions=True)
        for person in [*self._drawers, *self._witnesses()]:
            await person.cut()

    # The parts of a round.

    def _witnesses(self) -> list[Person]:
        return [auditor.witness for auditor in self._auditors if auditor.witness is not None]

    async def _let_in(self, is_rush: bool) -> None:
        """Lets the drawers and the uploader come: after a look that nobody disturbs, or all at once."""
        if not is_rush:
            await self._look(is_alone=True)
        self._uploaders[0].may_go.set()
        for drawer in self._drawers:
            drawer.may_come.set()
        if is_rush:
            self._looks = [asyncio.create_task(self._look_in_a_rush(auditor)) for auditor in self._auditors]

    async def _look(self, is_alone: bool) -> None:
        for auditor in self._auditors:
            await auditor.look(is_alone)

    async def _look_in_a_rush(self, auditor: Auditor) -> None:
        """The gateway may be gone before it is done."""
        with contextlib.suppress(*AWAY):
            await auditor.look(is_alone=False)

    async def _end_gateway(self, drains_first: bool) -> None:
        """SIGKILL or SIGTERM, or SIGTERM and SIGKILL before it is done."""
        self._check_tasks()
        if self._signal == signal.SIGTERM:
            await self._stop_gateway()
            return
        if drains_first:
            self._gateway.process.send_signal(signal.SIGTERM)
            await asyncio.sleep(self._chance.uniform(0, 0.06))
        await asyncio.to_thread(self._gateway.kill)
        cut = [
            story for story in self._stories if (self._gateway.folder_of(story.session) / "log.new").exists()
        ]
        self._counts["compactions cut"] += len(cut)

    async def _stop_gateway(self) -> None:
        present = [person for person in [*self._drawers, *self._witnesses()] if person.is_present]
        for drawer in self._drawers:
            # How the gateway closes is to be seen, so nobody comes back before that was.
            drawer.may_come.clear()
        began = time.monotonic()
        self._gateway.process.send_signal(signal.SIGTERM)
        code = await asyncio.to_thread(self._gateway.wait, STOP_SECONDS + 2)
        took = time.monotonic() - began
        assert (code, took < STOP_SECONDS) == (0, True), f"exit code {code} after {took:.1f} s"
        for person in present:
            close, reason = await person.closed()
            is_told = close == 1012 and reason["retryAfterMs"] >= 0
            assert is_told or (self._is_ending and close == 4010), f"{person.name}: {close} {reason}"

    async def _settle(self) -> None:
        """Waits until all have read what had been sent to them, then checks it."""
        self._uploaders[0].may_go.clear()
        for drawer in self._drawers:
            drawer.may_come.clear()
        await self._until(lambda: all(drawer.is_idle.is_set() for drawer in self._drawers), "all are cut off")
        await asyncio.gather(*self._looks)
        self._looks = []
        for person in self._witnesses():
            await person.wait_for(lambda person=person: person.is_cut_off, "a cut")
        for drawer in self._drawers:
            self._check_way_back(drawer)
        for person in [*self._drawers, *self._witnesses()]:
            await person.cut()
            person.story.broke_off(person)
            person.forget()
        for story in self._stories:
            story.settle()
        self._check_tasks()

    def _check_way_back(self, drawer: Drawer) -> None:
        """With the epoch that they knew they come back by tail; after a kill also with another, if the log goes as far."""
        if not drawer.came_back_to or not drawer.catch_ups:
            return
        before, after = drawer.came_back_to
        is_same = drawer.joined["epoch"] == before and after is not None
        # Of what was behind, the tail of a kill's rounds holds too little to count on.
        if self._signal == signal.SIGKILL:
            expected = drawer.catch_ups[0]
            assert expected == "snapshot" or after is not None, f"{drawer.name} came back by a tail it did not ask for"
        else:
            expected = "tail" if is_same else "snapshot"
            assert drawer.catch_ups[0] == expected, f"{drawer.name} came back by {drawer.catch_ups}, not {expected}"
        self._counts[f"came back by {expected}"] += 1

    def _check_epochs(self, before: list[str]) -> None:
        """What people were told in this round, against how the gateway had ended before it."""
        for story, epoch in zip(self._stories, before, strict=True):
            if epoch and story.epoch != epoch and self._keeps_epoch is not None:
                assert not self._keeps_epoch, f"{story.epoch} after a clean stop, was {epoch}"
            if epoch and story.epoch == epoch and story.was_told_in_this_round:
                assert self._keeps_epoch is not False, f"still {epoch} after a crash"

    async def _kill_while_it_starts(self) -> None:
        self._gateway.launch()
        await asyncio.sleep(self._chance.uniform(0, 0.15))
        await asyncio.to_thread(self._gateway.kill)

    def _start(self) -> None:
        for story in self._stories:
            story.was_told_in_this_round = False
        self._gateway.start()

    async def _until(self, condition: Callable[[], Any | Awaitable[Any]], what: str) -> None:
        def holds() -> Any | Awaitable[Any]:
            self._check_tasks()
            return condition()

        await until(holds, what, timeout=RETRY_SECONDS, every=0.002)

    def _check_tasks(self) -> None:
        for task in self._tasks:
            if task.done() and not task.cancelled():
                task.result()
        for person in self._witnesses():
            if person.failure is not None:
                raise person.failure

    # The end of an era.

    def _is_quiet(self, story: Story, auditor: Auditor) -> bool:
        assert auditor.witness is not None
        people = [auditor.witness, *self._drawers_of(story)]
        if any(drawer.outbox for drawer in self._drawers_of(story)):
            return False
        return len({person.last for person in people}) == 1 and all(person.is_present for person in people)

    def _drawers_of(self, story: Story) -> list[Drawer]:
        return [drawer for drawer in self._drawers if drawer.story is story]

    def _check_all_hold_the_same(self, story: Story, auditor: Auditor) -> None:
        assert auditor.witness is not None
        for drawer in self._drawers_of(story):
            assert drawer.retained.held() == auditor.witness.retained.held(), (
                f"{drawer.name} holds something else"
            )

    def _check_all_accepted(self) -> None:
        """Each entry once: the look has compared what each keeps with what was acknowledged of it, and that is all."""
        for drawer in self._drawers:
            life = drawer.life
            assert life is not None
            assert life.accepted_at_most <= life.committed <= len(life.entries), (
                f"{life.committed} committed, and {life.accepted_at_most} of {len(life.entries)} had to be"
            )
            self._counts["entries"] += len(life.entries)
        self._counts["uploads"] += len(self._uploaders[0].done)
        self._counts["upload pieces"] += self._uploaders[0].resumes

    async def _end_a_session(self) -> None:
        """Somebody ends the second session, somebody else makes one, and the gateway ends meanwhile."""
        story, gateway = self._stories[1], self._gateway
        drawer = self._drawers_of(story)[0]
        drawer.may_come.set()
        await self._until(lambda: drawer.is_present, "somebody is there to end it")
        self._is_ending = True
        ways = {"end": self._say_end(drawer), "DELETE": self._delete(story, drawer)}
        way = self._chance.choice([*ways])
        ending = asyncio.create_task(ways.pop(way))
        for other in ways.values():
            other.close()
        making = asyncio.create_task(self._make_session())
        await asyncio.sleep(0.03 * self._chance.random() ** 3)
        await self._end_gateway(drains_first=False)
        drawer.may_come.clear()
        was_told = await _unless_away(ending)
        made = await _unless_away(making)
        await self._until(lambda: drawer.is_idle.is_set(), "all are cut off")
        self._start()
        if made:
            assert (await gateway.get(f"/api/sessions/{made}")).status == 200, f"{made} was made, and is gone"
            self._counts["sessions made"] += 1
        status = (await gateway.get(f"/api/sessions/{story.session}")).status
        assert status == 410 or (status == 200 and not was_told), f"{way} was told as done, and now {status}"
        self._counts["ends told" if was_told else "ends not told"] += 1
        if status == 200:
            await self._auditors[1].look(is_alone=True)
            token = {"Participant-Token": drawer.token or ""}
            response = await gateway.request("DELETE", f"/api/sessions/{story.session}", token)
            assert response.status == 204, (response, response.body)
        await check_ended(gateway, story.session)
        self.ended.append(story.session)

    async def _make_session(self) -> str | None:
        response = await self._gateway.post("/api/sessions")
        # A gateway that is asked to stop refuses new sessions.
        assert response.status in (201, 503), (response, response.body)
        return response.json()["id"] if response.status == 201 else None

    async def _say_end(self, drawer: Drawer) -> bool:
        await drawer.say(end={})
        close, _ = await drawer.closed()
        return close == 4010

    async def _delete(self, story: Story, drawer: Drawer) -> bool:
        token = {"Participant-Token": drawer.token or ""}
        response = await self._gateway.request("DELETE", f"/api/sessions/{story.session}", token)
        assert response.status in (204, 503), (response, response.body)
        return response.status == 204

    def _remember(self) -> Finished:
        witness = self._auditors[0].witness
        assert witness is not None
        return Finished(self._stories[0].session, witness.retained.payloads(), self._uploaders[0])


async def _unless_away(task: asyncio.Task[Any]) -> Any:
    """What came of it; None when the gateway was gone before."""
    try:
        return await task
    except AWAY:
        return None


async def check_ended(gateway: LastingGateway, session: str) -> None:
    """An ended session says so to whoever asks (4010 and 410)."""
    (await gateway.get(f"/api/sessions/{session}")).problem(410, "ended")
    async with Client(gateway.socket_url(session)) as late:
        await late.connect()
        with contextlib.suppress(*AWAY):
            await late.ws.send(json.dumps({"join": {}}))
        code, _ = await late.closed()
        assert code == 4010, f"an ended session closed with {code}"


async def check_finished(gateway: LastingGateway, finished: Finished) -> None:
    """A session that nobody was in for long holds all that it held."""
    async with Client(gateway.socket_url(finished.session)) as late:
        await late.join(name="Late")
        assert late.retained.payloads() == finished.payloads, f"{finished.session} holds something else"
    await finished.uploader.verify()

"""Two sessions, four drawers and an uploader, over a number of rounds, and the ends of the sessions."""

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
"""The seconds between the admission of the participants (or the start of the gateway) and its end."""
STOP_SECONDS = 8
RETRY_SECONDS = 30
KINDS = ("plain", "rush", "start", "drain", "compaction")
WEIGHTS = (10, 5, 2, 3, 4)
BURST = {signal.SIGKILL: 350, signal.SIGTERM: 40}
"""The number of replaces of 8 KB in a round that ends during a compaction. With SIGTERM the tail must contain them."""


@dataclass
class Finished:
    """A session without participants, and the content that it must still have."""

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
        """The looks in a rush."""
        self._keeps_epoch: bool | None = None
        """True if the last end of the gateway keeps the epoch, false if it begins another one; None if both are
        correct."""
        self._is_ending = False
        """True while a participant ends a session, so that the others may receive that instead."""
        self.ended: list[str] = []
        self.finished: list[Finished] = []

    # Called by the run, in this order.

    async def begin(self) -> None:
        """Creates the sessions; the gateway must run. Their participants join in the first round."""
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
        """Lets participants join and draw, and ends the gateway at a random time. Returns the kind of the round."""
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
        # The effect of this end is visible when the participants return.
        self._keeps_epoch = None if kind == "drain" else self._signal == signal.SIGTERM
        for _ in range(self._chance.randint(1, 3) if kind == "start" else 0):
            await self._kill_while_it_starts()
        self._start()
        return kind

    async def finish(self) -> None:
        """Stops drawing. All sent entries must be there once, also after one more end of the gateway."""
        await self._let_in(is_rush=False)
        for drawer in self._drawers:
            drawer.is_at_work = False
        self._uploaders[0].is_to_finish = True
        await self._until(lambda: all(drawer.is_done for drawer in self._drawers), "all is committed")
        await self._until(self._uploading.done, "the upload is finished")
        for story, auditor in zip(self._stories, self._auditors, strict=True):
            # The newest entry may be targeted; this one goes to all.
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
        """Disconnects all participants."""
        for task in [*self._tasks, *self._looks]:
            task.cancel()
        await asyncio.gather(*self._tasks, *self._looks, return_exceptions=True)
        for person in [*self._drawers, *self._witnesses()]:
            await person.cut()

    # The parts of a round.

    def _witnesses(self) -> list[Person]:
        return [auditor.witness for auditor in self._auditors if auditor.witness is not None]

    async def _let_in(self, is_rush: bool) -> None:
        """Admits the drawers and the uploader, after an undisturbed look or all at once."""
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
        """Looks at a session while the gateway may end."""
        with contextlib.suppress(*AWAY):
            await auditor.look(is_alone=False)

    async def _end_gateway(self, drains_first: bool) -> None:
        """Sends SIGKILL or SIGTERM, or SIGTERM and then SIGKILL during the drain."""
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
            # No participant reconnects before the gateway's close codes were seen.
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
        """Waits until all participants have read everything, then checks it."""
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
        """Checks that participants that know the epoch get a tail; after a kill also those of another epoch, as far as
        the log reaches."""
        if not drawer.came_back_to or not drawer.catch_ups:
            return
        before, after = drawer.came_back_to
        is_same = drawer.joined["epoch"] == before and after is not None
        # After a kill, the tail of the rounds is too short for those that were behind.
        if self._signal == signal.SIGKILL:
            expected = drawer.catch_ups[0]
            assert expected == "snapshot" or after is not None, f"{drawer.name} came back by a tail it did not ask for"
        else:
            expected = "tail" if is_same else "snapshot"
            assert drawer.catch_ups[0] == expected, f"{drawer.name} came back by {drawer.catch_ups}, not {expected}"
        self._counts[f"came back by {expected}"] += 1

    def _check_epochs(self, before: list[str]) -> None:
        """Compares the epochs in this round with the way in which the gateway ended before."""
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
        """Checks that each entry was accepted once: the look compared the retained entries with the acknowledged ones,
        and these are all."""
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
        """Ends the second session and creates another one, while the gateway ends."""
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
    """Returns the result of a task; None if the gateway ended before."""
    try:
        return await task
    except AWAY:
        return None


async def check_ended(gateway: LastingGateway, session: str) -> None:
    """Checks that an ended session answers with 4010 and 410."""
    (await gateway.get(f"/api/sessions/{session}")).problem(410, "ended")
    async with Client(gateway.socket_url(session)) as late:
        await late.connect()
        with contextlib.suppress(*AWAY):
            await late.ws.send(json.dumps({"join": {}}))
        code, _ = await late.closed()
        assert code == 4010, f"an ended session closed with {code}"


async def check_finished(gateway: LastingGateway, finished: Finished) -> None:
    """Checks that a session without participants for a long time has all its content."""
    async with Client(gateway.socket_url(finished.session)) as late:
        await late.join(name="Late")
        assert late.retained.payloads() == finished.payloads, f"{finished.session} holds something else"
    await finished.uploader.verify()

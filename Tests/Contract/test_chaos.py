"""P1, P2, P3, P8: over a thousand cuts of connections, no entry is lost, duplicated or out of order."""

from __future__ import annotations

import asyncio
import random
from collections.abc import Iterator
from dataclasses import dataclass, replace

import pytest
import websockets

from client import Client
from gateway import Gateway
from polling import until
from proxy import Proxy
from wire import APPEND, EXISTING, RELIABLE, REMOVE, REPLACE, TARGETED, Entry, Outgoing

SENDERS = 4
KEYS = 64
REPEATS = 20
SMALL, FULL = (60, 2_000), (1_000, 20_000)
SETTINGS = [
    (1, False, 4 << 20, 101),
    (2, False, 4 << 20, 202),
    (1, True, 4 << 20, 303),
    (2, True, 4 << 20, 404),
    (2, False, 8_000, 505),
]


@dataclass(frozen=True)
class Scale:
    cuts: int
    entries: int


@pytest.fixture
def scale(request: pytest.FixtureRequest) -> Scale:
    return Scale(*(FULL if request.config.getoption("--full") else SMALL))


def script(chance: random.Random, sender: int, count: int) -> Iterator[Outgoing]:
    """Yields the entries of one sender: every retention over shared keys, each payload with its own name. Some
    entries are for the observer and some of the senders only; the targets are indices of senders until their
    numbers are known."""
    for n in range(count):
        retention = chance.choices((0, APPEND, REPLACE, REMOVE), (3, 5, 2, 1))[0]
        flags = RELIABLE | retention
        if retention in (APPEND, REPLACE) and chance.random() < 0.3:
            flags |= EXISTING
        aimed = retention == 0 and chance.random() < 0.5
        targets = chance.sample(range(SENDERS), chance.randrange(SENDERS)) if aimed else []
        payload = b"" if retention == REMOVE else f"{sender}/{n}/".encode() + bytes(chance.randrange(200))
        key = chance.randrange(KEYS).to_bytes(16, "big")
        yield Outgoing(f"T{sender}", payload, flags | TARGETED if aimed else flags, key, targets)


class Sender:
    """Sends its script through the proxy and reconnects after every cut."""

    def __init__(self, client: Client, entries: list[Outgoing]) -> None:
        self.client, self.entries = client, entries
        self.given = 0
        self.numbers: set[int] = set()
        self.joins = 0

    def give(self, upto: int) -> None:
        """Gives entries to the client, connected or not."""
        upto = min(upto, len(self.entries))
        self.client.send(*self.entries[self.given : upto])
        self.given = max(self.given, upto)

    def aim(self, numbers: list[int], observer: int) -> None:
        """Replaces the indices in targets by participant numbers. The observer gets every entry."""
        self.entries = [
            replace(entry, targets=[observer, *[numbers[place] for place in entry.targets]])
            if entry.flags & TARGETED
            else entry
            for entry in self.entries
        ]

    async def stay(self) -> None:
        """Joins again and again until cancelled."""
        while True:
            try:
                await self.client.join(name=self.client.url[-4:])
                self.joins += 1
                assert self.joins == 1 or self.client.joined["resumed"], "a cut made a new participant"
                self.numbers.add(self.client.number)
                await self._repeat()
                await self.client.wait_for(
                    lambda: self.client.close or self.client.must_resume, "a cut", timeout=600
                )
            except (OSError, EOFError, TimeoutError, websockets.WebSocketException):
                await asyncio.sleep(0.005)

    async def _repeat(self) -> None:
        """Sends entries again that the session already has. They must have no effect."""
        last = self.client.joined["acknowledged"]
        again = [self.entries[n].encoded(n + 1) for n in range(max(0, last - REPEATS), last)]
        if again:
            await self.client.raw(b"".join(again))

    @property
    def is_done(self) -> bool:
        return self.given == len(self.entries) and not self.client.outbox


async def chaos(gateway: Gateway, tls: bool, seed: int, scale: Scale) -> None:
    """Runs the scenario of a seed. Only the machine's timing varies between runs."""
    chance = random.Random(seed)
    session = await gateway.create_session()
    context = gateway.tls if tls else None
    observer = Client(gateway.socket_url(session, tls), tls=context)
    async with Proxy(gateway.https if tls else gateway.http, seed, scale.cuts) as proxy:
        url = f"{'wss' if tls else 'ws'}://127.0.0.1:{proxy.port}/api/sessions/{session}/socket"
        senders = [
            Sender(
                Client(
                    url,
                    tls=context,
                    compression="deflate" if n % 2 else None,
                    open_timeout=2,
                    close_timeout=1,
                ),
                list(script(chance, n, scale.entries // SENDERS)),
            )
            for n in range(SENDERS)
        ]
        await observer.join(name="Observer")
        stays = [asyncio.create_task(sender.stay()) for sender in senders]
        try:
            await _feed(observer, proxy, senders, stays, scale)
            print(f"cuts: {proxy.by_way}, joins: {[sender.joins for sender in senders]}")
            late = await Client(gateway.socket_url(session, tls), tls=context).join(name="Late")
            await _all_is_quiet([observer, late, *[sender.client for sender in senders]])
            _verify(observer, senders, late, scale)
            kinds = [kind for sender in senders for kind in sender.client.catch_ups]
            print(f"catch-ups: {kinds.count('tail')} tails, {kinds.count('snapshot')} snapshots")
            assert kinds.count("tail") > 0, "nobody ever resumed by tail"
            await late.cut()
        finally:
            for stay in stays:
                stay.cancel()
            await asyncio.gather(*stays, return_exceptions=True)
            for client in (observer, *[sender.client for sender in senders]):
                await client.cut()


async def _feed(
    observer: Client, proxy: Proxy, senders: list[Sender], stays: list[asyncio.Task[None]], scale: Scale
) -> None:
    """Sends entries during the cuts, so that all cuts hit a busy stream."""

    def step() -> bool:
        for stay in stays:
            if stay.done():
                stay.result()
        if not all(sender.joins for sender in senders):
            return False
        if not senders[0].given:
            numbers = [sender.client.number for sender in senders]
            for sender in senders:
                sender.aim(numbers, observer.number)
        share = (proxy.done + 4) / scale.cuts
        for sender in senders:
            sender.give(int(len(sender.entries) * share))
        return proxy.done >= scale.cuts and all(sender.is_done for sender in senders)

    await until(step, f"{scale.cuts} cuts and every entry committed", timeout=540)


async def _all_is_quiet(everyone: list[Client]) -> None:
    """Returns true if all clients have reached the same sequence, and so the same participants."""

    def same() -> bool:
        last = everyone[0].last
        return all(client.last == client.after == last for client in everyone)

    await until(same, "all have come to the same sequence")


def _verify(observer: Client, senders: list[Sender], late: Client, scale: Scale) -> None:
    order = [entry for entry in observer.received if not entry.is_system]
    assert len(order) == scale.entries, "an entry is missing or doubled in the order"
    for sender in senders:
        assert len(sender.numbers) == 1, f"one participant had the numbers {sender.numbers}"
        (number,) = sender.numbers
        mine = [entry for entry in order if entry.sender == number]
        assert [entry.client_sequence for entry in mine] == list(range(1, len(sender.entries) + 1))
        assert [(e.type, e.payload, e.key) for e in mine] == [
            (e.type, e.payload, e.key if e.flags & REMOVE else None) for e in sender.entries
        ]
        _verify_received(sender, number, order, senders)
    held = observer.retained.held()
    assert held, "nothing was retained, so nothing was shown"
    for name, client in [("late", late), *[(f"sender {n}", s.client) for n, s in enumerate(senders)]]:
        assert client.retained.held() == held, f"{name} holds something else"
        assert client.failure is None
        assert client.retained.people.keys() == late.retained.people.keys()


def _verify_received(sender: Sender, number: int, order: list[Entry], senders: list[Sender]) -> None:
    """A client that resumed only with tails got each entry for it once, and no other entry."""
    if sender.client.catch_ups.count("snapshot") > 1:
        return
    targets = {e.payload: e.targets for s in senders for e in s.entries if e.flags & TARGETED}
    meant = [e for e in order if e.sender == number or number in targets.get(e.payload, [number])]
    came = [e for e in sender.client.received if not e.is_system]
    assert came == meant, "what came is not what was meant for this one"


@pytest.mark.seconds(580)
@pytest.mark.parametrize(("reactors", "tls", "tail", "seed"), SETTINGS)
async def test_cuts_lose_duplicate_and_reorder_no_entry(
    gateway_with, scale: Scale, request: pytest.FixtureRequest, reactors: int, tls: bool, tail: int, seed: int
) -> None:
    seed = request.config.getoption("--seed") or seed
    print(f"replay with --seed {seed} (reactors {reactors}, {'wss' if tls else 'ws'}, tail {tail}, {scale})")
    gateway: Gateway = gateway_with(
        "--reactors", str(reactors), entriesPerSecond=50_000, catchUpTailBytes=tail
    )
    await chaos(gateway, tls, seed, scale)

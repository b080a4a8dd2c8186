"""The limit on the memory of all sessions: a session that grows too large is refused more, and the others
continue."""

from __future__ import annotations

import json
from contextlib import AsyncExitStack

from client import Client
from gateway import Gateway
from polling import until
from room import Room, append, key, remove

MEMORY = 600_000
SIZE = 10_000


def accepted(person: Client) -> int:
    """Returns the client sequence of the newest entry that was returned to its sender."""
    return max((e.client_sequence for e in person.received if e.sender == person.number), default=0)


def lines(gateway: Gateway) -> list[str]:
    """Returns the log lines about memory."""
    # A line at the end may be incomplete.
    whole = [line for line in gateway.log.splitlines(keepends=True) if line.endswith("\n")]
    return [event for line in whole if "memory" in (event := json.loads(line)["event"])]


async def draw(person: Client, count: int, size: int = SIZE) -> int:
    """Sends entries with new keys until one is refused, and returns the last client sequence."""
    last = accepted(person)
    for _ in range(count):
        last += 1
        await person.raw(append(last, "x" * size).encoded(last))
        await person.wait_for(lambda: person.errors or accepted(person) >= last, "its entry")
        if person.errors:
            break
    return last


async def test_a_session_that_fills_the_memory_is_refused_and_others_continue(gateway_with) -> None:
    gateway: Gateway = gateway_with(
        "--reactors", "1", memoryBytes=MEMORY, sessionLogBytes=MEMORY, catchUpTailBytes=0)  # fmt: skip
    async with Room(gateway) as large, Room(gateway) as middling, Room(gateway) as small:
        ada, cyd, ben = await large.join("Ada"), await middling.join("Cyd"), await small.join("Ben")
        # Less than an equal share, but with it Ada reaches the limit of all sessions before that of her session.
        for _ in range(MEMORY // SIZE // 4):
            cyd.send(append(1, "x" * SIZE))
        await cyd.committed()
        ben.send(append(1, "before"))
        await ben.committed()
        last = await draw(ada, 4 * MEMORY // SIZE)
        refusal = ada.errors[0]
        assert refusal["code"] == "storage-full" and refusal["clientSequence"] == last
        assert refusal["limit"] == MEMORY and MEMORY < refusal["actual"] < 2 * MEMORY
        assert refusal["retryAfterMs"] > 0
        # The operator gets one line with the size.
        await until(lambda: lines(gateway), "the log says so")
        assert lines(gateway) == ["memory for sessions full"]
        metrics = await gateway.metrics()
        assert metrics["drawtogether_log_limit_bytes"] == MEMORY < metrics["drawtogether_log_bytes"]
        # A session with little content may still grow.
        ben.send(append(1, "after"))
        await ben.committed()
        assert ben.retained.payloads() == {key(1): [b"before", b"after"]} and not ben.errors
        # Removals are accepted, and make room for the refused entry.
        due = last
        for n in range(1, last):
            await ada.raw(remove(n).encoded(due))
            due += 1
        await ada.wait_for(lambda: accepted(ada) == due - 1, "what was removed")
        await ada.raw(append(last, "x" * SIZE).encoded(due))
        await ada.wait_for(lambda: accepted(ada) == due, "what was refused before")
        assert len(ada.errors) == 1
        await until(lambda: len(lines(gateway)) > 1, "the log says so again")
        assert lines(gateway) == ["memory for sessions full", "memory for sessions free again"]


async def test_with_full_memory_the_gateway_stays_ready_for_removals(gateway_with) -> None:
    size = 100_000
    memory = 40 * size
    gateway: Gateway = gateway_with(
        "--reactors", "1", memoryBytes=memory, sessionLogBytes=memory, catchUpTailBytes=0)  # fmt: skip
    async with AsyncExitStack() as stack:
        rooms = [await stack.enter_async_context(Room(gateway)) for _ in range(4)]
        ada, *others = [await room.join(f"Member {n}") for n, room in enumerate(rooms)]
        for person in others:
            await draw(person, 5, size)
        last = await draw(ada, 40, size)
        assert ada.errors, "she is refused"
        assert (await gateway.get("/readyz")).status == 200
        # Each session has more than an equal share of the reserve, which is a quarter more.
        for person in others:
            await draw(person, 5, size)
            assert person.errors
        assert memory < (await gateway.metrics())["drawtogether_log_bytes"] < memory * 5 // 4
        assert (await gateway.get("/readyz")).status == 200
        for n in range(1, last):
            await ada.raw(remove(n).encoded(last + n - 1))
        await ada.wait_for(lambda: accepted(ada) == 2 * last - 2, "what was removed")
        assert (await gateway.get("/readyz")).status == 200

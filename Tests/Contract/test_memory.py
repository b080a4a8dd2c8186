"""What all sessions together may hold: one that grows without measure is refused more, and the others draw on."""

from __future__ import annotations

from client import Client
from gateway import Gateway
from room import Room, append, key, remove

MEMORY = 600_000
SIZE = 10_000


def accepted(person: Client) -> int:
    """The client sequence of its newest entry that came back."""
    return max((e.client_sequence for e in person.received if e.sender == person.number), default=0)


async def test_who_fills_the_memory_is_refused_and_others_draw_on(gateway_with) -> None:
    gateway: Gateway = gateway_with(
        "--reactors", "1", memoryBytes=MEMORY, sessionLogBytes=MEMORY, catchUpTailBytes=0)  # fmt: skip
    async with Room(gateway) as large, Room(gateway) as middling, Room(gateway) as small:
        ada, cyd, ben = await large.join("Ada"), await middling.join("Cyd"), await small.join("Ben")
        # Less than an equal part, but with it Ada meets the limit of all before her session's own.
        for _ in range(MEMORY // SIZE // 4):
            cyd.send(append(1, "x" * SIZE))
        await cyd.committed()
        ben.send(append(1, "before"))
        await ben.committed()
        last = 0
        while not ada.errors and last < 4 * MEMORY // SIZE:
            last += 1
            await ada.raw(append(last, "x" * SIZE).encoded(last))
            await ada.wait_for(lambda: ada.errors or accepted(ada) >= last, "its entry")
        refusal = ada.errors[0]
        assert refusal["code"] == "storage-full" and refusal["clientSequence"] == last
        assert refusal["limit"] == MEMORY and MEMORY < refusal["actual"] < 2 * MEMORY
        assert refusal["retryAfterMs"] > 0
        # Who holds little is none of those who hold too much.
        ben.send(append(1, "after"))
        await ben.committed()
        assert ben.retained.payloads() == {key(1): [b"before", b"after"]} and not ben.errors
        # Removing passes, and makes room for what was refused.
        due = last
        for n in range(1, last):
            await ada.raw(remove(n).encoded(due))
            due += 1
        await ada.wait_for(lambda: accepted(ada) == due - 1, "what was removed")
        await ada.raw(append(last, "x" * SIZE).encoded(due))
        await ada.wait_for(lambda: accepted(ada) == due, "what was refused before")
        assert len(ada.errors) == 1

"""Section 3.1: the token bucket of each participant, and quotas with the same behavior."""

from __future__ import annotations

import asyncio
import contextlib

import websockets

from gateway import Gateway
from polling import until
from room import Room, append, key, note, numbered, remove, replace, unreliable
from wire import RELIABLE, Outgoing


async def test_an_entry_over_the_rate_is_refused_and_later_ones_are_dropped(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=20)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(numbered(*[note(str(n)) for n in range(1, 101)]))
        error = await ada.error()
        assert error["code"] == "rate-limited"
        first = error["clientSequence"]
        assert 36 <= first <= 43, "the burst is twice the rate; joining may have cost one"
        assert 1 <= error["retryAfterMs"] <= 500, "a quarter of a burst of 40 comes back in 500 ms"
        await asyncio.sleep(error["retryAfterMs"] / 1000)
        await ada.raw(numbered(*[note(str(n)) for n in range(first, first + 8)], first=first))
        await ben.got(*[str(n).encode() for n in range(1, first + 8)])
        assert [e.client_sequence for e in ben.received if not e.is_system] == list(range(1, first + 8))
        assert len(ada.errors) == 1


async def test_a_client_that_obeys_retry_after_loses_nothing(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=200)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(*[note(str(n)) for n in range(1_000)])
        await ben.got(b"999")
        assert [e.payload for e in ben.received if not e.is_system] == [str(n).encode() for n in range(1_000)]
        assert {error["code"] for error in ada.errors} == {"rate-limited"}


async def test_bytes_have_a_rate(gateway_with) -> None:
    gateway: Gateway = gateway_with(bytesPerSecond=50_000)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(numbered(*[note(b"%02d" % n + bytes(9_998)) for n in range(1, 31)]))
        error = await ada.error()
        assert error["code"] == "rate-limited" and 8 <= error["clientSequence"] <= 11
        assert 1 <= error["retryAfterMs"] <= 600
        await ben.got(b"01" + bytes(9_998))


async def test_each_participant_has_a_bucket_of_its_own(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=20)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(numbered(*[note(str(n)) for n in range(100)]))
        await ada.error()
        await ben.raw(numbered(*[note(f"b{n}") for n in range(30)]))
        await ada.got(b"b29")
        assert not ben.errors


async def test_repeated_and_dropped_entries_cost_no_rate(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=20)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(note("1").encoded(1), *[note("1").encoded(1)] * 300, note("gap").encoded(9))
        await ada.raw(*[note("dropped").encoded(9 + n) for n in range(300)])
        await ada.raw(numbered(*[note(str(n)) for n in range(2, 32)], first=2))
        await ada.got(b"31")
        assert [error["code"] for error in ada.errors] == ["sequence-gap"]


async def test_the_rate_is_checked_before_the_entry(gateway_with) -> None:
    # The wrong entry must arrive before the bucket has room for one more entry.
    gateway: Gateway = gateway_with(entriesPerSecond=1)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        fill = [note(str(n)) for n in range(60)]
        await ada.raw(numbered(*fill))
        first = (await ada.error())["clientSequence"]
        await ada.raw(Outgoing("", b"wrong", RELIABLE).encoded(first))
        assert (await ada.error(2))["code"] == "rate-limited"


async def test_control_messages_count_as_an_entry_each(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=20)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(*['{"profile": {"name": "Ada"}}'] * 60)
        error = await ada.error()
        assert error["code"] == "rate-limited" and error["retryAfterMs"] >= 1


async def test_unreliable_entries_over_the_rate_are_dropped_silently(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=20)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(b"".join(unreliable(str(n), f"T{n}").encoded(0) for n in range(500)))

        async def accepted() -> bool:
            await ada.raw(note("after").encoded(1))
            return any(e.payload == b"after" for e in ben.received)

        await until(accepted, "the bucket fills again", every=0.4)
        assert sum(not e.is_reliable for e in ben.received) <= 60
        assert {error["code"] for error in ada.errors} <= {"rate-limited"}
        assert all(error["clientSequence"] == 1 for error in ada.errors)


async def test_a_client_that_ignores_ten_refusals_is_closed_with_4029(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=1)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(numbered(*[note(str(n)) for n in range(5)]))
        due = (await ada.error())["clientSequence"]
        with contextlib.suppress(websockets.ConnectionClosed):
            while ada.close is None:
                await ada.raw(*[note("at once again").encoded(due + n // 5) for n in range(100)])
                await asyncio.sleep(0.005)
        code, reason = await ada.closed()
        assert (code, reason["code"]) == (4029, "rate-limited")
        assert len(ada.errors) >= 10


async def test_leave_is_accepted_over_the_rate(gateway_with) -> None:
    gateway: Gateway = gateway_with(entriesPerSecond=1)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(numbered(*[note(str(n)) for n in range(9)]))
        await ada.error()
        await ada.say(leave={})
        assert (await ada.closed())[0] == 1000


async def test_over_session_log_bytes_only_removals_are_accepted(gateway_with) -> None:
    gateway: Gateway = gateway_with(sessionLogBytes=100_000)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(*[append(n, "x" * 10_000).encoded(n) for n in range(1, 21)])
        error = await ada.error()
        due = error["clientSequence"]
        assert error["code"] == "session-quota" and 5 <= due <= 10
        assert error["limit"] == 100_000 and error["retryAfterMs"] >= 1
        await ada.raw(remove(1).encoded(due), remove(2).encoded(due + 1))
        await ada.raw(replace(99, "y" * 10_000).encoded(due + 2))
        await ben.got(b"y" * 10_000)
        assert len(ada.errors) == 1
        assert key(1) not in ben.retained.keys and key(99) in ben.retained.keys


async def test_a_full_session_accepts_entries_without_retention(gateway_with) -> None:
    gateway: Gateway = gateway_with(sessionLogBytes=100_000)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(*[append(n, "x" * 10_000).encoded(n) for n in range(1, 21)])
        due = (await ada.error())["clientSequence"]
        await ada.raw(note("a word").encoded(due))
        await ben.got(b"a word")


async def test_a_nearly_full_session_sends_a_notice(gateway_with) -> None:
    gateway: Gateway = gateway_with(sessionLogBytes=100_000)
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(*[append(n, "x" * 10_000).encoded(n) for n in range(1, 21)])
        await ada.error()
        assert (await ben.system("notice"))["code"] == "session-quota"

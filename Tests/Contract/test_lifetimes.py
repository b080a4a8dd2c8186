"""Section 5: the lifetime of a session with participants, without them, and after its end."""

from __future__ import annotations

from gateway import Gateway, brief_seconds
from polling import until
from room import Room, append, note


async def test_a_session_is_kept_for_session_keep_seconds(gateway_with) -> None:
    # Ada must join the new session within this time.
    gateway: Gateway = gateway_with(sessionKeepSeconds=brief_seconds(), graceSeconds=1, removalDelaySeconds=0)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "kept while Ada is here"))
        await ada.committed()
        ben = await room.join("Ben")
        await ben.say(leave={})
        await ben.closed()
        await ada.cut()
        await ada.join()
        assert ada.retained.keys and (await gateway.get(room.path)).status == 200
        await ada.say(leave={})
        await ada.closed()

        async def is_gone() -> bool:
            return (await gateway.get(room.path)).status in (404, 410)

        await until(is_gone, "the session is given up", timeout=30)


async def test_a_session_with_absent_participants_is_kept_whole(gateway_with) -> None:
    gateway: Gateway = gateway_with(graceSeconds=1)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(append(1, "kept"), note("passing"))
        await ada.committed()
        await ada.cut()

        async def is_empty() -> bool:
            return (await gateway.session(room.id))["participants"] == 0

        await until(is_empty, "Ada's grace time is over")
        assert (await room.join("Ben")).retained.payloads() == {(1).to_bytes(16, "big"): [b"kept"]}


async def test_an_ended_session_is_kept_for_ended_keep_seconds(gateway_with) -> None:
    gateway: Gateway = gateway_with(endedKeepSeconds=1, removalDelaySeconds=0)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.say(end={})
        assert (await ada.closed())[0] == 4010
        assert (await gateway.get(room.path)).status in (404, 410)

        async def is_forgotten() -> bool:
            return (await gateway.get(room.path)).status == 404

        await until(is_forgotten, "the ended session is forgotten")

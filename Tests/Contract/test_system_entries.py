"""Section 3.3: the gateway's own entries in the order."""

from __future__ import annotations

import json

from gateway import Gateway
from room import Room, note
from wire import APPEND, RELIABLE, REMOVE, Outgoing


async def test_system_entries_have_the_same_order_for_everyone(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        for n in range(20):
            ada.send(note(f"a{n}"))
            await ben.say(profile={"name": f"Ben {n}"})
            await ada.say(activity={"title": f"T{n}"})
        await ada.got(b"a19")
        for person in (ada, ben):
            await person.wait_for(
                lambda person=person: (
                    sum(e.type == "activity" for e in person.received) == 20
                    and b'"Ben 19"' in b"".join(e.payload for e in person.received)
                ),
                "all came",
            )
        begin = ben.snapshots and ben.last_control("caughtUp")["sequence"]
        orders = [[e for e in p.received if e.sequence > begin] for p in (ada, ben)]
        assert orders[0] == orders[1]
        system = [e for e in orders[0] if e.is_system]
        assert all(e.sender == 0 and e.client_sequence == 0 and e.is_reliable for e in system)
        assert all(isinstance(json.loads(e.payload), dict) for e in system)


async def test_system_entries_have_their_own_key_space(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.say(activity={"title": "Kept"})
        await ada.system("activity")
        keys = {e.key for e in ada.received + ada.snapshots[0] if e.is_system and e.key} | {bytes(16)}
        for key in keys:
            ada.send(Outgoing("activity", b"{}", RELIABLE | APPEND, key))
            ada.send(Outgoing("activity", b"", RELIABLE | REMOVE, key))
        await ada.committed()
        late = await room.join("Late")
        assert late.retained.activity is not None and late.retained.activity["title"] == "Kept"
        assert ada.id in late.retained.people and not late.retained.keys


async def test_a_client_cannot_send_system_entries(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        forged = json.dumps({"left": [{"id": ben.id, "number": ben.number, "reason": "left"}]}).encode()
        await ada.raw(Outgoing("participants", forged, 0x81).encoded(1), note("after").encoded(2))
        await ben.got(b"after")
        assert forged not in [e.payload for e in ben.received]
        assert ada.errors[0]["code"] == "bad-entry"


async def test_entries_stay_in_their_session(gateway: Gateway) -> None:
    async with Room(gateway) as one, Room(gateway) as other:
        ada, eve = await one.join("Ada"), await other.join("Eve")
        ada.send(note("secret"))
        await ada.got(b"secret")
        eve.send(note("mine"))
        await eve.got(b"mine")
        assert [e.payload for e in eve.received if not e.is_system] == [b"mine"]


async def test_a_token_of_another_session_is_unknown(gateway: Gateway) -> None:
    async with Room(gateway) as one, Room(gateway) as other:
        ada, ben = await one.join("Ada"), await other.join("Ben")
        ben_number = ben.number
        thief = other.client()
        thief.token, thief.epoch = ada.token, ada.epoch
        await thief.join(name="Thief")
        assert thief.joined["resumed"] is False
        assert thief.number != ben_number and ben.close is None and ada.close is None

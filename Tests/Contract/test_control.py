"""Section 2.2: control messages."""

from __future__ import annotations

import asyncio
import json

import pytest

from gateway import Gateway
from room import Room, note
from vectors import full_text, vectors

# A message that is too long closes the socket. A second `join` is invalid, too.
BAD = [
    *(full_text(row["text"]) for row in vectors("controlMessages")["refusedFromClients"] if row["error"] != "control-too-long"),
    '{"join": {}}',
]  # fmt: skip


async def test_leave_closes_with_1000_and_is_announced(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.say(leave={})
        code, reason = await ada.closed()
        assert (code, reason["code"]) == (1000, "left")
        told = await ben.system("participants", lambda change: change.get("left"))
        assert told["left"] == [{"id": ada.id, "number": ada.number, "reason": "left"}]
        assert (await gateway.session(room.id))["participants"] == 1


async def test_entries_sent_before_leave_are_delivered(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.raw(note("last words").encoded(1), '{"leave": {}}')
        await ben.got(b"last words")
        await ben.system("participants", lambda change: change.get("left"))
        order = [e.type for e in ben.received if e.payload == b"last words" or b'"reason"' in e.payload]
        assert order == ["Note", "participants"]


async def test_end_closes_all_sockets_with_4010(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        people = [await room.join() for _ in range(3)]
        waiting = await room.connect()
        await waiting.say(wait={})
        await waiting.control("waiting")
        await people[0].say(end={})
        for person in (*people, waiting):
            code, reason = await person.closed()
            assert (code, reason["code"]) == (4010, "ended")
        (await gateway.get(room.path)).problem(410, "ended")


async def test_profile_changes_name_and_color_for_all(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        await ada.say(profile={"name": "Countess\n Ada", "color": "#00ff00"})
        for person in (ada, ben):
            changed = (await person.system("participants", lambda change: change.get("changed")))["changed"]
            assert [(p["id"], p["name"], p["color"].lower()) for p in changed] == [
                (ada.id, "Countess Ada", "#00ff00")
            ]
        assert (await room.join()).retained.people[ada.id]["name"] == "Countess Ada"


async def test_the_last_activity_in_the_order_wins_and_all_converge_on_it(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        people = [await room.join() for _ in range(3)]
        for n in range(10):
            await asyncio.gather(
                *[p.say(activity={"title": f"T{n} by {p.number}", "payload": {"n": n}}) for p in people]
            )
        counted = [lambda p=p: sum(e.type == "activity" for e in p.received) == 30 for p in people]
        for person, all_came in zip(people, counted, strict=True):
            await person.wait_for(all_came, "thirty activities")
        late = await room.join()
        activities = [p.retained.activity for p in (*people, late)]
        shown = (await gateway.session(room.id))["activity"]
        for activity in activities:
            assert activity is not None
            assert activity["title"] == shown["title"] == activities[0]["title"]
            assert activity["payload"] == {"n": 9}
            assert activity["identifier"] == "drawtogether" and activity["type"] == "generic"
            assert f"by {activity['by']}" in activity["title"]


@pytest.mark.parametrize("message", BAD, ids=lambda message: message[:30])
async def test_invalid_control_messages_get_bad_request_and_the_socket_stays_open(
    gateway: Gateway, message: str
) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.raw(message)
        error = await ada.error()
        assert error["code"] == "bad-request" and len(error["detail"]) > 10
        ada.send(note("still here"))
        await ada.got(b"still here")
        assert (await gateway.get(room.path)).status == 200


async def test_1008_after_ten_bad_requests_in_a_row(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        for _ in range(2):
            await ada.raw(*["nonsense"] * 9)
            await ada.say(profile={"name": "Ada"})
        await ada.error(18)
        ada.send(note("still here"))
        await ada.got(b"still here")
        await ada.raw(*["nonsense"] * 10)
        code, reason = await ada.closed()
        assert (code, reason["code"]) == (1008, "bad-request")


async def test_control_messages_in_invalid_utf_8_are_closed_with_1007(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.ws.send(b'{"leave\xff": {}}', text=True)
        assert (await ada.closed())[0] == 1007


async def test_control_messages_over_64_kib_are_closed_with_1009(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        frame = len(json.dumps({"unknown": ""}))
        await ada.raw(json.dumps({"unknown": "x" * (65_536 - frame)}))
        assert (await ada.error())["code"] == "bad-request"
        await ada.raw(json.dumps({"unknown": "x" * (65_537 - frame)}))
        code, reason = await ada.closed()
        assert code == 1009
        assert reason.get("code") == "message-too-large"


async def test_committed_covers_all_entries_and_never_decreases(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, _ = await room.join("Ada"), await room.join("Ben")
        began = asyncio.get_running_loop().time()
        for n in range(300):
            ada.send(note(str(n)))
            await ada.got(str(n).encode())
        await ada.committed()
        took = asyncio.get_running_loop().time() - began
        told = [message["sequence"] for message in ada.all_controls("committed")]
        assert told == sorted(told)
        assert told[-1] >= ada.received[-1].sequence
        assert len(told) <= took / 0.1 + 2, "more than one in 100 ms"


async def test_a_second_join_is_bad_request(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        await ada.say(join={"resume": ada.resume()["resume"]})
        assert (await ada.error())["code"] == "bad-request"
        assert len(ada.all_controls("joined")) == 1


async def test_a_wrong_join_is_bad_request_and_a_right_one_may_follow(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.connect()
        await ada.raw('{"join": {"name": 7}}')
        assert (await ada.error())["code"] == "bad-request"
        await ada.join(name="Ada")

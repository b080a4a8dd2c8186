"""Section 2.1: joining and waiting."""

from __future__ import annotations

import re
import uuid

import pytest

from gateway import Gateway, brief_seconds
from room import Room, note

ZERO_WIDTH_SPACE, OVERRIDE, LINE_SEPARATOR = "\u200b", "\u202e", "\u2028"


async def test_joined_has_the_participant_and_the_position_of_the_session(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.client().join(name="Ada", color="#E4572e")
        joined = ada.joined
        person = joined["participant"]
        assert str(uuid.UUID(person["id"])) == person["id"].lower()
        assert isinstance(person["number"], int) and person["number"] >= 1
        assert person["name"] == "Ada" and person["color"].lower() == "#e4572e"
        assert len(joined["token"]) >= 22 and joined["epoch"]
        assert joined["acknowledged"] == 0 and joined["resumed"] is False
        assert joined["committed"] <= joined["sequence"]
        assert joined["session"]["id"] == room.id
        assert joined["limits"] == (await gateway.get("/api/limits")).json()
        order = [name for message in ada.controls for name in message]
        assert order[:3] == ["joined", "catchUp", "caughtUp"]


async def test_ids_tokens_and_numbers_are_new_for_each_join(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        people = [await room.join() for _ in range(4)]
        assert len({person.id for person in people}) == 4
        assert len({person.token for person in people}) == 4
        assert len({person.number for person in people}) == 4
        await people[0].say(leave={})
        await people[0].closed()
        assert (await room.join()).number not in {person.number for person in people}


@pytest.mark.parametrize(
    ("asked", "shown"),
    [
        ("Ada", "Ada"),
        ("n" * 65, "n" * 64),
        ("\N{ARTIST PALETTE}" * 70, "\N{ARTIST PALETTE}" * 64),
        ("A\nd\ra\t\x00\x7f\x85", "Ada"),
        (f"A{ZERO_WIDTH_SPACE}d{OVERRIDE}a{LINE_SEPARATOR}\u2029\ufeff", "Ada"),
        (ZERO_WIDTH_SPACE * 70 + "Ada", "Ada"),
        ("Zoë Ö 王", "Zoë Ö 王"),
    ],
    ids=["plain", "65", "70 pictures", "controls", "format", "format before", "letters"],
)
async def test_names_are_filtered_and_then_truncated(
    gateway: Gateway, asked: str, shown: str
) -> None:
    async with Room(gateway) as room:
        assert (await room.join(asked)).joined["participant"]["name"] == shown


@pytest.mark.parametrize("asked", [None, "", "\n", ZERO_WIDTH_SPACE + OVERRIDE])
async def test_a_missing_or_empty_name_is_generated(
    gateway: Gateway, asked: str | None
) -> None:
    async with Room(gateway) as room:
        name = (await room.join(asked)).joined["participant"]["name"]
        assert 1 <= len(name) <= 64 and name.strip()


@pytest.mark.parametrize(
    "asked",
    [None, "", "red", "#12345", "#1234567", "#12345g", "e4572e", "#\u0661\u0661\u0661\u0661\u0661\u0661"],
)
async def test_only_colors_of_the_palette_are_accepted(
    gateway: Gateway, asked: str | None
) -> None:
    async with Room(gateway) as room:
        color = (await room.client().join(**({} if asked is None else {"color": asked}))).joined[
            "participant"
        ]["color"]
        assert re.fullmatch("#[0-9a-fA-F]{6}", color)


async def test_unused_colors_are_preferred(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        colors = [(await room.join()).joined["participant"]["color"].lower() for _ in range(4)]
        assert len(set(colors)) == 4


async def test_a_color_like_another_persons_is_replaced_and_stays(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben, tab = [
            await room.client().join(name=name, color=color)
            for name, color in (("Ada", "#e4572e"), ("Ben", "#e5582f"), ("Ben", "#e5582f"))
        ]
        colors = [one.joined["participant"]["color"] for one in (ada, ben, tab)]
        assert colors[0] == "#e4572e" and colors[1] not in ("#e4572e", "#e5582f")
        assert colors[2] == colors[1], "two tabs of one person"
        await ada.say(leave={})
        await ada.closed()
        await ben.cut()
        await ben.join(name="Ben", color="#e5582f")
        assert ben.joined["resumed"] is True and ben.joined["participant"]["color"] == colors[1]


async def test_unknown_json_members_are_ignored(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.client().join(name="Ada", shoeSize=39)
        assert ada.joined["participant"]["name"] == "Ada"


async def test_a_join_is_announced_to_everyone(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ben = await room.join("Ben")
        change = await ada.system("participants", lambda change: change.get("joined"))
        assert ben.joined["participant"] in change["joined"]
        await ada.wait_for(lambda: ben.id in ada.retained.people, "Ben is known")
        assert ben.retained.people == ada.retained.people


async def test_a_waiting_participant_gets_only_the_session_and_its_participants(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ben = await room.connect()
        await ben.say(wait={"name": "Ben", "color": "#010203"})
        waiting = await ben.control("waiting")
        assert waiting["session"]["id"] == room.id
        assert [person["name"] for person in waiting["participants"]] == ["Ada"]
        told = await ada.system("participants", lambda change: change.get("waiting"))
        assert told["waiting"][-1]["name"] == "Ben" and told["waiting"][-1]["color"] == "#010203"
        ada.send(note("not for Ben"))
        await ada.got(b"not for Ben")
        await room.join("Cleo")
        await ben.system("participants", lambda change: change.get("joined", [{}])[0].get("name") == "Cleo")
        assert {entry.type for entry in ben.received} == {"participants"}
        assert [next(iter(message)) for message in ben.controls] == ["waiting"]


async def test_a_waiting_participant_may_join_later(gateway_with) -> None:
    # Everybody must join or wait within this time after connecting.
    gateway: Gateway = gateway_with(joinSeconds=brief_seconds())
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ada.send(note("kept in no snapshot"))
        ben = await room.connect()
        await ben.say(wait={"name": "Ben"})
        await ben.control("waiting")
        late = await room.connect()
        assert (await late.closed())[0] == 4001
        assert ben.close is None
        await ben.join(name="Ben")
        ben.send(note("from Ben"))
        await ada.got(b"from Ben")


async def test_a_disconnected_waiting_participant_is_announced_as_left(gateway_with) -> None:
    gateway: Gateway = gateway_with(graceSeconds=1)
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ben = await room.connect()
        await ben.say(wait={"name": "Ben"})
        told = await ada.system("participants", lambda change: change.get("waiting"))
        await ben.cut()
        gone = await ada.system("participants", lambda change: change.get("left"))
        assert gone["left"][0]["id"] == told["waiting"][-1]["id"]
        assert gone["left"][0]["number"] == told["waiting"][-1]["number"]


async def test_the_state_of_a_joiner_has_the_waiting_participants(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada = await room.join("Ada")
        ben = await room.connect()
        await ben.say(wait={"name": "Ben"})
        await ada.system("participants", lambda change: change.get("waiting"))
        cleo = await room.join("Cleo")
        assert cleo.id in cleo.retained.people
        assert "Ben" not in {person["name"] for person in cleo.retained.people.values()}


async def test_a_socket_without_a_join_is_closed_with_4001(gateway_with) -> None:
    gateway: Gateway = gateway_with(joinSeconds=brief_seconds())
    async with Room(gateway) as room:
        silent = await room.connect()
        code, reason = await silent.closed()
        assert (code, reason["code"]) == (4001, "not-joined")


@pytest.mark.parametrize(
    "message", ['{"profile": {"name": "Ada"}}', '{"end": {}}', '{"leave": {}}', b"entry"]
)
async def test_other_messages_before_join_are_refused_and_closed_with_1008(
    gateway: Gateway, message: str | bytes
) -> None:
    async with Room(gateway) as room:
        ada = await room.connect()
        await ada.raw(note("too early").encoded(1) if message == b"entry" else message)
        code, reason = await ada.closed()
        assert (code, reason["code"]) == (1008, "not-joined")
        assert (await gateway.get(room.path)).status == 200

"""Hostile JSON, names and ids are refused with a message or taken literally."""

from __future__ import annotations

import asyncio
import json
import time
import unicodedata
from urllib.parse import quote

import pytest

from attachments import Journal, base64_of, content
from gateway import Gateway
from hostile import MEBIBYTE, all_that_comes, share, unharmed
from http1 import request_bytes
from rawsocket import CLOSE, PING, PONG, TEXT, RawSocket, frame
from room import Room, note

pytestmark = pytest.mark.alone

DEPTH = 30_000
VALUES = [
    ("30,000 lists", "[" * DEPTH + "]" * DEPTH),
    ("30,000 lists that do not end", "[" * DEPTH),
    ("10,000 objects", '{"a":' * 10_000 + "1" + "}" * 10_000),
    ("10,000 objects that do not end", '{"a":' * 10_000),
    ("600 lists", "[" * 600 + "]" * 600),
    ("lists and objects by turns", '[{"a":' * 3_000 + "1" + "}]" * 3_000),
    ("a number of 60,000 digits", "9" * 60_000),
    ("a fraction of 60,000 digits", "0." + "9" * 60_000),
    ("an exponent of 50,000 digits", "1e" + "9" * 50_000),
    ("1e400", "1e400"), ("-1e400", "-1e400"), ("1e-400", "1e-400"), ("-0", "-0"), ("2^63", "9223372036854775808"), ("2^64", "18446744073709551616"),
    ("2^53 + 1", "9007199254740993"), ("01", "01"), ("+1", "+1"), (".5", ".5"), ("5.", "5."), ("1e", "1e"), ("0x10", "0x10"), ("NaN", "NaN"), ("Infinity", "Infinity"), ("-", "-"),
    ("a lone high surrogate", r'"\ud800"'), ("a lone low surrogate", r'"\udc00x"'), ("surrogates the wrong way round", r'"\udc00\ud800"'), ("half an escape", r'"\u12'), ("an escape that is none", r'"\x41"'),
    ("NUL escaped", r'"\u0000"'), ("NUL as it is", '"\0"'), ("a line feed as it is", '"\n"'), ("no end", '"abc'), ("quotes of another kind", "'abc'"), ("a comment", "/* */ 1"), ("a comma too many", "[1,]"),
    ("a byte order mark", "\ufeff1"), ("a string of 60,000 characters", '"' + "s" * 60_000 + '"'), ("a string of 10,000 escapes", '"' + r"\u0041" * 10_000 + '"'),
    ("4,000 members of one name", "{" + ",".join(['"a":1'] * 4_000) + "}"), ("5,000 members", "{" + ",".join(f'"{n}":1' for n in range(5_000)) + "}"),
    ("30,000 numbers", "[" + ",".join("1" * 30_000) + "]"), ("60,000 blanks", " " * 60_000 + "1"), ("nothing", ""), ("true", "true"), ("tru", "tru"), ("null", "null"),
]  # fmt: skip
PLACES = [
    ("the message", "%s"), ("a join", '{"join": %s}'), ("a wait", '{"wait": %s}'), ("a leave", '{"leave": {"x": %s}}'), ("an end", '{"end": [%s]}'), ("a profile", '{"profile": %s}'),
    ("a name", '{"profile": {"name": %s}}'), ("a color", '{"profile": {"color": %s}}'), ("an activity", '{"activity": %s}'), ("a title", '{"activity": {"title": %s}}'),
    ("a payload", '{"activity": {"payload": %s}}'), ("a member that is not known", '{"profile": {"name": "Ada", "unknown": %s}}'), ("a token", '{"join": {"resume": {"token": %s}}}'),
    ("after", '{"join": {"resume": {"token": "t", "epoch": "e", "after": %s, "next": 1}}}'), ("next", '{"join": {"resume": {"token": "t", "epoch": "e", "after": 1, "next": %s}}}'),
]  # fmt: skip


async def say(peer: RawSocket, text: str) -> list[bytes]:
    """Sends a text and a ping. Returns the messages before the pong, or the close frame as the last."""
    await peer.send(frame(TEXT, text.encode()), frame(PING, b"done"))
    answers = []
    while (received := await peer.receive()).opcode != PONG:
        if received.opcode == TEXT and b'"committed"' not in received.payload:
            answers.append(received.payload)
        if received.opcode == CLOSE:
            return [*answers, received.payload]
    return answers


@pytest.mark.parametrize("place", [place[1] for place in PLACES], ids=[place[0] for place in PLACES])
@pytest.mark.parametrize("is_joined", [False, True], ids=["before", "after"])
async def test_control_messages_of_every_kind_of_json(gateway: Gateway, place: str, is_joined: bool) -> None:
    """Each text is accepted, refused with `bad-request` or closed as in section 2.2, without a delay; the witness continues to
    draw."""
    async with Room(gateway) as room:
        witness = await room.join("Witness")
        peer: RawSocket | None = None
        slowest = 0.0
        for name, value in VALUES:
            text = place.replace("%s", value)
            if len(text) > 65_536:
                continue
            if peer is None:
                peer = await RawSocket.open(gateway, room.id)
                if is_joined:
                    await peer.join()
            began = time.perf_counter()
            answers = await say(peer, text)
            slowest = max(slowest, time.perf_counter() - began)
            last = answers[-1] if answers else b"{}"
            if not last.startswith(b"{"):
                code = int.from_bytes(last[:2], "big")
                assert code in (1000, 1007, 1008, 4001, 4009, 4029), (name, last)
                peer.connection.abort()
                peer = None
            elif b'"error"' in last:
                error = json.loads(last)["error"]
                assert error["code"] == "bad-request" and len(error["detail"]) < 1_000, (name, error)
            elif b'"joined"' in answers[0] or b'"waiting"' in answers[0] if answers else False:
                json.loads(answers[0])
                peer.connection.abort()
                peer = None
        if peer is not None:
            peer.connection.abort()
        print(f"{slowest * 1_000:.1f} ms at most")
        assert slowest < share()
        witness.send(note("still here"))
        await witness.got(b"still here")
        assert witness.failure is None
    assert gateway.process.poll() is None


@pytest.mark.parametrize(
    "place",
    ["%s", '{"activity": %s}', '{"activity": {"title": %s}}', '{"activity": {"payload": %s}}', '{"follows": %s}', '{"x": %s}'],
)  # fmt: skip
async def test_request_bodies_of_every_kind_of_json(gateway: Gateway, place: str) -> None:
    async with await gateway.connect() as connection:
        for name, value in [*VALUES, ("200,000 lists", "[" * 100_000 + "]" * 100_000)]:
            body = place.replace("%s", value).encode()
            await connection.send(request_bytes("POST", "/api/sessions", gateway.host, {}, body))
            response = await connection.receive()
            assert response.status in (201, 400, 403, 404, 413), (name, response, response.body)
            if response.status == 201:
                session = await gateway.session(response.json()["id"])
                assert session["activity"] == response.json()["activity"], name
            else:
                assert len(response.problem(response.status)["detail"]) < 1_000
            if response.get("connection") == "close":
                connection.abort()
                connection = await gateway.connect()
        connection.abort()


async def test_metadata_of_every_kind_of_json(journal: Journal) -> None:
    """Accepted metadata comes back as equivalent JSON."""
    for name, value in VALUES:
        if len(value) > 20_000:
            continue
        response = await journal.post(b"x", Attachment_Metadata=base64_of(value))
        assert response.status in (201, 400, 413, 431), (name, response, response.body)
        if response.status == 201:
            assert (await journal.find(response.json()["id"])) is not None, name


async def test_an_accepted_payload_is_the_same_json_for_everyone(gateway: Gateway) -> None:
    """Other participants, and later joiners, get the same valid JSON for any accepted payload."""
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        count = 0
        for _, value in VALUES:
            if len(value) > 16_000:
                continue
            await ada.raw('{"activity": {"payload": ' + value + "}}")
            await ada.say(profile={"name": f"Ada {count}"})
            await ben.system(
                "participants", lambda c, n=count: c.get("changed", [{}])[0].get("name") == f"Ada {n}"
            )
            count += 1
        assert ben.failure is None
        late = await room.join("Late")
        assert late.retained.activity == ben.retained.activity == ada.retained.activity
        assert ada.close is None


CATEGORIES = {"Cc", "Cf", "Zl", "Zp", "Cs"}


def hostile_characters() -> list[str]:
    """Returns strings with every character that a name must not contain, 60 at a time, with letters between them."""
    characters = [chr(n) for n in range(0x110000) if unicodedata.category(chr(n)) in CATEGORIES - {"Cs"}]
    return ["A" + "".join(characters[first : first + 60]) + "B" for first in range(0, len(characters), 60)]


async def test_no_control_format_or_line_character_is_in_any_name(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        for n, name in enumerate(hostile_characters()):
            await ada.say(profile={"name": f"{n}{name}"})
            changed = await ben.system(
                "participants", lambda c, n=n: c.get("changed", [{}])[0].get("name", "").startswith(f"{n}A")
            )
            shown = changed["changed"][0]["name"]
            assert shown == f"{n}AB", [hex(ord(character)) for character in shown]


@pytest.mark.parametrize(
    "name",
    ["<script>alert(1)</script>", "';DROP TABLE people;--", "{{7*7}}", "${jndi:ldap://a.example}", "%s%n%x", "../../etc/passwd", "\N{COMBINING GRAVE ACCENT}" * 64,
     "A" + "\N{COMBINING ENCLOSING KEYCAP}" * 63, "\N{ARABIC LIGATURE BISMILLAH AR-RAHMAN AR-RAHEEM}" * 64, "\U000E0041" * 64, "\ufdd0\U0010ffff", "Ada\u3164", '"}]}', "\\", "\N{REGIONAL INDICATOR SYMBOL LETTER D}" * 64],
    ids=ascii,
)  # fmt: skip
async def test_a_hostile_name_becomes_a_valid_one(gateway: Gateway, name: str) -> None:
    """At most 64 scalars and 256 bytes, the same for all participants, and no other change of the message."""
    async with Room(gateway) as room:
        ada = await room.join(name)
        shown = ada.joined["participant"]["name"]
        assert 1 <= len(shown) <= 64 and len(shown.encode()) <= 256
        assert not any(unicodedata.category(character) in CATEGORIES for character in shown)
        kept = "".join(c for c in name if unicodedata.category(c) not in CATEGORIES)
        if kept:
            assert kept.startswith(shown), "something else than what was asked for"
        ben = await room.join("Ben")
        assert ben.retained.people[ada.id]["name"] == shown


SPELLINGS = [
    "..", ".", "...", "%2e%2e", "%2E.", "%2e", "..%2f", "%2f..%2f..", "..%5c..", "%252e%252e", "%00", "{id}%00", "{id}%00.html", "{id}%0a", "{id}%0d%0aX:%20y", "{id}%20", "%20{id}", "{id}%2f", "{id}%2f..",
    "%c0%ae%c0%ae", "%c0%af", "%e0%80%ae", "%f0%80%80%ae", "%ff", "%u002e", "%", "%4", "%zz", "{id};x=y", "{id}%3bx", "{id}%3f", "{id}%23", "{id}.", "{id}..", "{id}=", "{id}==", "{lower}", "{upper}", "{short}", "{id}{id}",
    "{id}%ef%bb%bf", "%ef%bc%8e%ef%bc%8e", "{id}~1", "CON", "{long}", "*", "%2a", "{{id}}", "'{id}'", "{id}'--", "{id}\\..", "{id}%5c", "-", "_" * 22, "null", "undefined", "0", "-1",
]  # fmt: skip
PATTERNS = [
    "/s/{x}", "/api/sessions/{x}", "/api/sessions/{x}/socket", "/api/sessions/{x}/attachments", "/api/sessions/{x}/attachments/{attachment}",
    "/api/sessions/{id}/attachments/{x}", "/api/sessions/{x}/../{id}", "/api/sessions/{x}/..%2f{id}", "/js/{x}", "/css/{x}/{x}", "/{x}", "/{x}/{x}/etc/passwd",
]  # fmt: skip


@pytest.mark.parametrize("pattern", PATTERNS)
async def test_manipulated_ids_find_no_other_resource(gateway: Gateway, pattern: str) -> None:
    """Every spelling of an id gets 400, 404, or the resource that the path means; never another file or session."""
    journal = await Journal.open(gateway)
    attachment = await journal.add(b"SECRET" + content(100))
    session = journal.session
    for spelling in SPELLINGS:
        spelled = spelling.format(
            id=session, lower=session.lower(), upper=session.upper(), short=session[:-1], long="A" * 8_000
        )
        target = pattern.format(x=spelled, id=session, attachment=attachment["id"])
        for method in ("GET", "DELETE", "HEAD"):
            response = await gateway.request(method, target, {"Connection": "close"})
            assert response.status in (400, 404, 405, 403, 414, 426, 308, 301) or (
                method != "DELETE" and response.status == 200 and is_public(pattern, spelled, session)
            ), (method, target[:200], response)
            assert b"SECRET" not in response.body and b"root:" not in response.body
            assert b"PRIVATE KEY" not in response.body
    assert (await gateway.session(session))["id"] == session
    assert await journal.list() == [attachment]


def is_public(pattern: str, spelled: str, session: str) -> bool:
    """Returns true if the path may have a resource: the page for a link, or the target of dot segments."""
    return pattern.startswith(("/s/", "/js/", "/css/", "/{x}")) or (
        "{x}/../{id}" in pattern or spelled in (".", "..", "%2e", "%2e%2e", "%2E.")
    )


async def test_sockets_with_manipulated_ids_are_closed_or_refused(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        for spelling in SPELLINGS:
            spelled = spelling.format(
                id=room.id, lower=room.id.lower(), upper=room.id.upper(), short=room.id[:-1], long="A" * 8_000
            )
            async with await gateway.connect() as connection:
                response = await RawSocket.ask(connection, gateway, spelled)
                if response.status == 101:
                    code, reason = await RawSocket(connection, response).close_of()
                    assert (code, reason["code"]) == (4004, "not-found"), spelled
                else:
                    assert response.status in (400, 404, 405, 414), (spelled, response)
        assert (await gateway.session(room.id))["participants"] == 0


async def test_percent_encoded_ids_name_one_session(gateway: Gateway) -> None:
    """A percent-encoded id is the session itself or none: never another session or a second one."""
    async with Room(gateway) as room:
        spelled = "".join(f"%{byte:02x}" for byte in room.id.encode())
        response = await gateway.get(f"/api/sessions/{spelled}")
        assert response.status in (200, 404)
        if response.status == 200:
            assert response.json()["id"] == room.id
        assert quote(room.id) == room.id


@pytest.mark.parametrize(
    "ranges", ["0-0," * 1_300 + "0-0", ",".join(f"{n}-" for n in range(3_000)), "-" + "9" * 5_000, "0-" + "9" * 5_000, "9" * 5_000 + "-"],
    ids=["1,300 of a byte", "3,000 that overlap", "the last 10^5000", "up to 10^5000", "from 10^5000"],
)  # fmt: skip
async def test_many_ranges_do_not_enlarge_the_response(gateway: Gateway, ranges: str) -> None:
    """RFC 9110 §14.2: many small or overlapping ranges may be ignored. They never make the response larger than twice the
    whole."""
    journal = await Journal.open(gateway)
    large = await journal.add(content(MEBIBYTE))
    async with unharmed(gateway, growth=16 * MEBIBYTE):
        for target in (large["url"], "/"):
            asked = [gateway.get(target, Range=f"bytes={ranges}") for _ in range(10)]
            for response in await asyncio.gather(*asked):
                assert response.status in (200, 206, 416, 400, 431), response
                assert len(response.body) <= 2 * MEBIBYTE


async def test_fields_with_thousands_of_elements_delay_nobody(gateway_with) -> None:
    """Lists of the maximum length are parsed once, and other clients get their time slices between two such requests."""
    gateway: Gateway = gateway_with("--reactors", "1")
    tags = ", ".join(f'"{n:x}"' for n in range(3_000))
    codings = ", ".join(f"x{n};q=0.{n % 10}" for n in range(2_000))
    data = b"".join(
        request_bytes("GET", "/", gateway.host, fields) * 20
        for fields in (
            {"If-None-Match": tags}, {"If-Match": tags}, {"Accept-Encoding": codings}, {"Connection": "x," * 15_000},
            {"Cookie": "a=b; " * 6_000}, {"Upgrade": "x," * 10_000, "Connection": "Upgrade"}, {"Expect": "x" * 30_000},
        )
    )  # fmt: skip
    last = request_bytes("GET", "/healthz", gateway.host, {"Connection": "close"})
    async with unharmed(gateway, growth=16 * MEBIBYTE):
        connections = [await gateway.connect() for _ in range(4)]
        readings = [asyncio.create_task(all_that_comes(connection, 30)) for connection in connections]
        for connection in connections:
            await connection.send(data + last)
        for came in await asyncio.gather(*readings):
            assert came.count(b"HTTP/1.1 ") >= 1 and b"HTTP/1.1 500" not in came

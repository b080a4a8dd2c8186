"""Requests behind proxies: the client that the gateway assumes, and the fields that it never trusts."""

from __future__ import annotations

import asyncio
import itertools
import json
from contextlib import AsyncExitStack

import pytest

from attachments import Journal
from gateway import Gateway
from http1 import HTTPConnection, Response, request_bytes
from polling import until
from rawsocket import TEXT, RawSocket, frame
from room import Room

_numbers = itertools.count(1)
LIMITS = {"sessionsPerAddressPerMinute": 2, "connectionsPerAddress": 2, "uploads": 8}

KINDS = [
    lambda address: {"X-Forwarded-For": address},
    lambda address: {"Forwarded": f'for="[{address}]:4711"' if ":" in address else f"for={address}"},
]
kinds = pytest.mark.parametrize("told", KINDS, ids=["X-Forwarded-For", "Forwarded"])

SPOOFS = [
    {"X-Forwarded-For": "{own}, {claimed}"},
    {"X-Forwarded-For": '{claimed}, "'},
    {"Forwarded": "for={claimed}"},
    {"Forwarded": 'for={claimed};x="'},
    {"Forwarded": "for={claimed};proto=https;host=evil.example", "X-Forwarded-Proto": "https"},
]
"""Fields of a client, in front of a proxy that writes X-Forwarded-For."""


def somebody() -> str:
    """Returns an address that no other test uses."""
    return f"203.0.113.{next(_numbers)}"


def passed_on(sent: dict[str, str], address: str) -> dict[str, str]:
    """Returns the fields behind a proxy that adds the client's address to X-Forwarded-For."""
    before = sent.get("X-Forwarded-For")
    return sent | {"X-Forwarded-For": f"{before}, {address}" if before else address}


async def own_session(gateway: Gateway) -> str:
    """Creates a session that uses up no limit of a test."""
    answer = await new_session(gateway, {"X-Forwarded-For": somebody()})
    assert answer.status == 201, answer
    return answer.json()["id"]


async def new_session(gateway: Gateway, fields: dict[str, str]) -> Response:
    return await gateway.request("POST", "/api/sessions", fields, b"")


@kinds
async def test_the_session_rate_is_per_client_behind_a_proxy(gateway_with, told) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", **LIMITS)
    network = next(_numbers)
    # All requests on one connection, as from a proxy.
    async with await gateway.connect() as connection:

        async def ask(address: str) -> Response:
            fields = told(address)
            await connection.send(request_bytes("POST", "/api/sessions", gateway.host, fields, b""))
            return await connection.receive()

        for address in (somebody(), somebody(), f"2001:db8:{network:x}::1", f"2001:db8:{network:x}:1::1"):
            assert [(await ask(address)).status for _ in range(2)] == [201, 201], address
            (await ask(address)).problem(429, "too-many")
        # All addresses of a client's network count as one client.
        (await ask(f"2001:db8:{network:x}:0:2:3:4:5")).problem(429, "too-many")


@pytest.mark.parametrize("sent", SPOOFS, ids=str)
async def test_a_client_behind_a_proxy_cannot_fake_its_address(gateway_with, sent: dict[str, str]) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", **LIMITS)
    ada, others = somebody(), [somebody() for _ in range(5)]
    made = 0
    for other in others:
        claimed = {name: value.format(own=ada, claimed=other) for name, value in sent.items()}
        made += (await new_session(gateway, passed_on(claimed, ada))).status == 201
    # Refused once other clients have used up the share of unknown clients.
    assert made <= 2, "five names brought more than one of them has"
    for other in others:
        assert [(await new_session(gateway, passed_on({}, other))).status for _ in range(2)] == [201, 201]


@pytest.mark.parametrize("sent", SPOOFS, ids=str)
async def test_a_client_behind_two_proxies_cannot_fake_its_address(
    gateway_with, sent: dict[str, str]
) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "2", **LIMITS)
    ada, others = somebody(), [somebody() for _ in range(5)]
    made = 0
    for other in others:
        claimed = {name: value.format(own=ada, claimed=other) for name, value in sent.items()}
        made += (await new_session(gateway, passed_on(passed_on(claimed, ada), "192.0.2.1"))).status == 201
    # Refused once other clients have used up the share of unknown clients.
    assert made <= 2, "five names brought more than one of them has"
    for other in others:
        assert [
            (await new_session(gateway, passed_on(passed_on({}, other), "192.0.2.1"))).status
            for _ in range(2)
        ] == [201, 201]


@kinds
async def test_without_trusted_proxies_forwarded_fields_are_ignored(new_gateway, told) -> None:
    gateway: Gateway = new_gateway("--redirect-to-https", "--hsts", "--log-level", "debug", **LIMITS)
    ada = somebody()
    told_all = told(ada) | (
        {"X-Forwarded-Proto": "https", "X-Forwarded-Host": "draw.example"}
        if "X-Forwarded-For" in told(ada)
        else {"Forwarded": f"for={ada};proto=https;host=draw.example"}
    )
    assert [(await new_session(gateway, told_all)).status for _ in range(2)] == [201, 201]
    (await new_session(gateway, {})).problem(429, "too-many")

    page = await gateway.request("GET", "/", told_all)
    assert page.status == 308, "the scheme was believed"
    assert page["location"] == f"https://127.0.0.1:{gateway.https[1]}/"
    assert not page.all("strict-transport-security")
    own = told_all | {"Origin": "https://draw.example"}
    (await new_session(gateway, own)).problem(403, "origin-refused")
    assert ada not in gateway.log
    # A client of a proxy on this machine is not on this machine itself.
    assert (await gateway.request("GET", "/metrics", told_all)).status == 404
    assert (await gateway.get("/metrics")).status == 200


@kinds
async def test_the_clients_scheme_decides_about_redirects(gateway_with, told) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", "--redirect-to-https", "--hsts")
    ada = somebody()
    is_customary = "X-Forwarded-For" in told(ada)

    def over(scheme: str) -> dict[str, str]:
        if is_customary:
            return told(ada) | {"X-Forwarded-Proto": scheme, "X-Forwarded-Host": "draw.example"}
        return {"Forwarded": f"for={ada};proto={scheme};host=draw.example"}

    secure = await gateway.request("GET", "/s/x?y", over("https"))
    assert secure.status == 200
    assert secure["strict-transport-security"].startswith("max-age=")
    assert secure["cross-origin-opener-policy"] == "same-origin"
    plain = await gateway.request("GET", "/s/x?y", over("http"))
    assert plain.status == 308
    assert plain["location"] == "https://draw.example/s/x?y"
    assert not plain.all("strict-transport-security")
    # Without this field the scheme may have been TLS: a redirect would lead here again.
    for untold in ({}, told(ada), {"X-Forwarded-Proto": "http"}, {"X-Forwarded-Proto": "https"}):
        assert (await gateway.request("GET", "/", untold)).status == 200, untold
    conflict = {
        "X-Forwarded-For": ada,
        "X-Forwarded-Proto": "http",
        "Forwarded": f"for={somebody()};proto=http",
    }
    assert (await gateway.request("GET", "/", conflict)).status == 200


async def test_the_scheme_of_an_inner_proxy_causes_no_redirect_loop(gateway_with) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "2", "--redirect-to-https")
    fields = passed_on(passed_on({}, somebody()), "192.0.2.1")
    # The proxy replaced the scheme of the first proxy.
    assert (await gateway.request("GET", "/", fields | {"X-Forwarded-Proto": "http"})).status == 200
    # The proxy appended its scheme, or left the field unchanged.
    for scheme, status in (("https, http", 200), ("http, http", 308), ("https", 200)):
        assert (await gateway.request("GET", "/", fields | {"X-Forwarded-Proto": scheme})).status == status, (
            scheme
        )


@kinds
async def test_a_page_is_compressed_after_navigation_within_the_own_origin(gateway_with, told) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1")
    fields = {"Host": "10.0.0.7:8080", "Accept-Encoding": "gzip", "Referer": "https://draw.example/s/x"}
    ada = somebody()
    at_ours = told(ada) | (
        {"X-Forwarded-Host": "draw.example"}
        if "X-Forwarded-For" in told(ada)
        else {"Forwarded": f"for={ada};host=draw.example"}
    )
    assert (await gateway.request("GET", "/", fields | at_ours))["content-encoding"] == "gzip"
    assert not (await gateway.request("GET", "/", fields | told(ada))).all("content-encoding")


@kinds
async def test_the_clients_host_counts(gateway_with, told) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", "--public-url", "https://draw.example")
    ada = somebody()
    is_customary = "X-Forwarded-For" in told(ada)

    def at(host: str) -> dict[str, str]:
        return (
            told(ada) | {"X-Forwarded-Host": host}
            if is_customary
            else {"Forwarded": f"for={ada};host={host}"}
        )

    answer = await new_session(gateway, at("draw.example") | {"Host": "10.0.0.7:8080"})
    assert answer.status == 201
    assert answer.json()["link"] == f"https://draw.example/s/{answer.json()['id']}"
    (await new_session(gateway, at("evil.example") | {"Host": "draw.example"})).problem(421)
    (await new_session(gateway, told(ada) | {"Host": "10.0.0.7:8080"})).problem(421)


@kinds
async def test_the_origin_is_accepted_behind_a_proxy_that_replaces_host(gateway_with, told) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1")
    ada = somebody()
    is_customary = "X-Forwarded-For" in told(ada)
    fields = told(ada) | {"X-Forwarded-Host": "draw.example:8443"}
    if not is_customary:
        fields = {"Forwarded": f'for={ada};host="draw.example:8443"'}
    fields |= {"Host": "10.0.0.7:8080"}
    answer = await new_session(gateway, fields | {"Origin": "https://draw.example:8443"})
    assert answer.status == 201
    async with await RawSocket.open(
        gateway, answer.json()["id"], **(fields | {"Origin": "https://draw.example:8443"})
    ) as socket:
        await socket.join()
    for origin in ("https://draw.example", "https://evil.example:8443"):
        (await new_session(gateway, fields | {"Origin": origin})).problem(403, "origin-refused")


async def socket_of(gateway: Gateway, session: str, address: str) -> RawSocket:
    return await RawSocket.open(gateway, session, X_Forwarded_For=address)


@pytest.mark.parametrize("reactors", ["1", "4"])
async def test_sockets_are_counted_by_their_client(gateway_with, reactors: str) -> None:
    gateway: Gateway = gateway_with(
        "--trust-proxy", "1", "--reactors", reactors, "--log-level", "debug", **LIMITS
    )
    ada, ben = somebody(), somebody()
    session = await own_session(gateway)
    async with AsyncExitStack() as stack:

        async def open_socket(address: str) -> RawSocket:
            return await stack.enter_async_context(await socket_of(gateway, session, address))

        sockets = [await open_socket(ada) for _ in range(2)]
        for socket in sockets:
            await socket.join()
        await until(lambda: f'"remote":"{ada}"' in gateway.log, "the log says who has joined")
        third = await open_socket(ada)
        code, reason = await third.close_of()
        assert (code, reason["code"], reason["limit"]) == (1013, "too-many", 2)
        assert reason["retryAfterMs"] > 0
        refused = await gateway.request("GET", "/api/limits", {"X-Forwarded-For": ada})
        assert refused.problem(429, "too-many")["limit"] == 2
        # Other clients and monitoring requests are unaffected.
        assert (await gateway.request("GET", "/healthz", {"X-Forwarded-For": ada})).status == 200
        assert (await gateway.request("GET", "/api/limits", {"X-Forwarded-For": ben})).status == 200
        other = await open_socket(ben)
        await other.join()
        # A closed connection makes room again.
        sockets[0].connection.abort()

        async def has_room() -> bool:
            return (await gateway.request("GET", "/api/limits", {"X-Forwarded-For": ada})).status == 200

        await until(has_room, "room for another connection")
        again = await open_socket(ada)
        await again.join()


async def test_a_shared_connection_does_not_count_for_finished_requests(gateway_with) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", **LIMITS)
    ada, ben = somebody(), somebody()
    async with AsyncExitStack() as stack:
        kept = [await stack.enter_async_context(await gateway.connect()) for _ in range(6)]
        for connection in kept:
            for address in (ada, ben, ada):
                fields = {"X-Forwarded-For": address}
                await connection.send(request_bytes("GET", "/api/limits", gateway.host, fields))
                assert (await connection.receive()).status == 200
        session = await own_session(gateway)
        for _ in range(2):
            socket = await stack.enter_async_context(await socket_of(gateway, session, ada))
            await socket.join()


async def test_upload_slots_are_limited_per_client(gateway_with) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", uploads=8)
    ada, ben = somebody(), somebody()
    journal = await Journal.open(gateway)
    async with AsyncExitStack() as stack:

        async def begin(address: str) -> HTTPConnection:
            connection = await journal.begin(Content_Length="10", X_Forwarded_For=address)
            return await stack.enter_async_context(connection)

        begun = [await begin(ada), await begin(ada)]

        async def both_are_there() -> bool:
            return len(await journal.list()) == 2

        await until(both_are_there, "two uploads")
        refused = await (await begin(ada)).receive()
        assert refused.problem(503, "too-many")["limit"] == 2, "a quarter of eight"
        other = await begin(ben)
        for connection in [*begun, other]:
            await connection.send(b"0123456789")
            assert (await connection.receive()).status == 201


@pytest.mark.parametrize(
    "told", [{"X-Forwarded-For": "unknown"}, {"Forwarded": "for=_x"}, {"Forwarded": "?"}], ids=str
)
async def test_clients_without_an_address_count_as_their_local_proxy(new_gateway, told) -> None:
    # All cases have the same address, so the last connections of a case could count in the next one.
    gateway: Gateway = new_gateway("--trust-proxy", "1", **LIMITS)
    session = await own_session(gateway)
    fields = {name.replace("-", "_"): value for name, value in told.items()}
    async with AsyncExitStack() as stack:
        for _ in range(2):
            socket = await stack.enter_async_context(await RawSocket.open(gateway, session, **fields))
            await socket.join()
        (await gateway.request("GET", "/api/limits", told)).problem(429, "too-many")
        assert (await gateway.request("GET", "/metrics", told)).status == 404
        # Nor does a client whose address the proxy does not report.
        (await gateway.request("GET", "/api/limits")).problem(429, "too-many")
        assert (await gateway.get("/healthz")).status == 200
        # A client on this machine, as reported by the proxy, is not counted, as without a proxy.
        for _ in range(3):
            socket = await stack.enter_async_context(
                await RawSocket.open(gateway, session, X_Forwarded_For="127.0.0.1")
            )
            await socket.join()
    assert await asyncio.to_thread(gateway.terminate) == 0


REFUSED = [("PUT", "/api/sessions", 405), ("OPTIONS", "/", 204), ("BREW", "/", 501)]


@pytest.mark.parametrize(
    "framing", [{"Content-Length": "60000"}, {"Transfer-Encoding": "chunked"}], ids=["length", "chunked"]
)
async def test_a_refusal_does_not_wait_for_the_body(gateway_with, framing: dict[str, str]) -> None:
    # One reactor handles requests in the order of their arrival, so the held requests are counted before later ones.
    gateway: Gateway = gateway_with("--trust-proxy", "1", "--reactors", "1", **LIMITS)
    who = {"X-Forwarded-For": somebody()}
    fields = who | framing
    async with AsyncExitStack() as stack:

        async def begin(method: str, target: str, **more: str) -> HTTPConnection:
            connection = await stack.enter_async_context(await gateway.connect())
            await connection.send(request_bytes(method, target, gateway.host, fields | more))
            return connection

        async def last_answer(connection: HTTPConnection) -> Response:
            answer = await connection.receive()
            assert answer["connection"] == "close"
            assert await connection.ends() == b""
            return answer

        for method, target, status in REFUSED:
            assert (await last_answer(await begin(method, target))).status == status, (method, target)
        foreign = await begin("POST", "/api/sessions", Origin="https://evil.example")
        (await last_answer(foreign)).problem(403, "origin-refused")
        # These two wait for the rest of their requests: monitoring requests are read like any other.
        held = [await begin("POST", "/api/sessions"), await begin("GET", "/healthz")]

        async def are_too_many() -> bool:
            return (await gateway.request("GET", "/api/limits", who)).status == 429

        await until(are_too_many, "both are counted")
        for method, target in (("POST", "/api/sessions"), ("GET", "/healthz"), ("GET", "/metrics")):
            (await last_answer(await begin(method, target))).problem(429, "too-many")
        assert (await gateway.request("GET", "/healthz", who)).status == 200, "who watches is let in"
        for connection in held:
            connection.abort()


async def test_a_refusal_with_a_received_body_keeps_the_connection(gateway_with) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", **LIMITS)
    async with await gateway.connect() as connection:
        for _ in range(2):
            fields = {"X-Forwarded-For": somebody()}
            await connection.send(request_bytes("PUT", "/api/sessions", gateway.host, fields, b"{}"))
            assert (await connection.receive()).status == 405


async def test_a_socket_over_its_clients_limit_is_refused_first(gateway_with) -> None:
    gateway: Gateway = gateway_with("--trust-proxy", "1", "--reactors", "4", "--log-level", "debug", **LIMITS)
    eve = somebody()
    async with AsyncExitStack() as stack:
        room = Room(gateway)
        room.id = await own_session(gateway)
        person = await stack.enter_async_context(room.client())
        await person.join(name="Ada")
        for _ in range(2):
            socket = await stack.enter_async_context(await socket_of(gateway, room.id, eve))
            await socket.send(frame(TEXT, json.dumps({"wait": {}}).encode()))
        refused = await stack.enter_async_context(await socket_of(gateway, room.id, eve))
        await refused.send(frame(TEXT, json.dumps({"join": {"name": "Eve"}}).encode()))
        code, _ = await refused.close_of()
        assert code == 1013
        assert [member["name"] for member in person.retained.people.values()] == ["Ada"]


@pytest.mark.parametrize(
    ("told", "reason"),
    [
        ({}, "neither Forwarded nor X-Forwarded-For is present"),
        ({"X-Forwarded-For": "192.0.2.1"}, "X-Forwarded-For names fewer proxies than are trusted"),
        ({"Forwarded": "for=192.0.2.1, ?"}, "Forwarded names fewer proxies than are trusted"),
        (
            {"Forwarded": "for=192.0.2.1, for=192.0.2.2", "X-Forwarded-For": "192.0.2.3, 192.0.2.2"},
            "Forwarded and X-Forwarded-For name different clients",
        ),
    ],
)
async def test_missing_client_addresses_of_proxies_are_logged_once(new_gateway, told, reason: str) -> None:
    gateway: Gateway = new_gateway("--trust-proxy", "2")
    right = {"X-Forwarded-For": "192.0.2.1, 192.0.2.2"}
    assert (await gateway.request("GET", "/api/limits", right)).status == 200
    assert (await gateway.get("/healthz")).status == 200
    assert (await gateway.request("GET", "/healthz", told)).status == 200
    assert "names no client" not in gateway.log
    for _ in range(3):
        # Also for refused requests.
        assert (await gateway.request("PUT", "/api/limits", told)).status == 405
    await until(lambda: "names no client" in gateway.log, "it is told")
    # No more lines follow.
    await asyncio.to_thread(gateway.terminate)
    lines = [json.loads(line) for line in gateway.log.splitlines() if "names no client" in line]
    assert len(lines) == 1, gateway.log
    assert (lines[0]["level"], lines[0]["reason"], lines[0]["trustProxy"]) == ("warning", reason, 2)
    assert lines[0]["remote"] == "127.0.0.1"

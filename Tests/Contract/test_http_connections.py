"""Section 1 and 5: keep-alive, pipelining, bodies, deadlines and connection limits."""

from __future__ import annotations

import asyncio

import pytest

from gateway import Gateway, brief_seconds
from http1 import HTTPConnection, request_bytes
from polling import until

IMPATIENT = dict.fromkeys(("headSeconds", "idleSeconds", "bodyStallSeconds"), brief_seconds())
"""Short limits. A client must send its first bytes within the same time, to get a response."""


async def test_a_connection_is_kept_and_closed_when_asked(gateway: Gateway) -> None:
    async with await gateway.connect() as connection:
        for _ in range(5):
            await connection.send(request_bytes("GET", "/healthz", gateway.host))
            assert (await connection.receive()).status == 200
        await connection.send(request_bytes("GET", "/healthz", gateway.host, {"Connection": "close"}))
        assert (await connection.receive())["connection"] == "close"
        assert await connection.ends() == b""


async def test_http_1_0_is_answered_and_closed(gateway: Gateway) -> None:
    async with await gateway.connect() as connection:
        await connection.send(f"GET /healthz HTTP/1.0\r\nHost: {gateway.host}\r\n\r\n")
        assert (await connection.receive()).status == 200
        assert await connection.ends() == b""


async def test_pipelined_requests_are_answered_in_order(gateway: Gateway) -> None:
    requests = [
        request_bytes("GET", "/api/limits", gateway.host),
        request_bytes("HEAD", "/api/limits", gateway.host),
        request_bytes("POST", "/api/sessions", gateway.host, {}, b"{}"),
        request_bytes("GET", "/nothing", gateway.host),
        request_bytes(
            "POST", "/api/sessions", gateway.host, {"Transfer-Encoding": "chunked"}, b"2\r\n{}\r\n0\r\n\r\n"
        ),
        request_bytes("GET", "/healthz", gateway.host, {"Connection": "close"}),
    ]
    async with await gateway.connect() as connection:
        await connection.send(b"".join(requests))
        answers = [await connection.receive(head=n == 1) for n in range(6)]
        assert [answer.status for answer in answers] == [200, 200, 201, 404, 201, 200]
        assert await connection.ends() == b""


async def test_a_request_in_single_bytes_is_understood(gateway: Gateway) -> None:
    async with await gateway.connect() as connection:
        for byte in request_bytes("POST", "/api/sessions", gateway.host, {}, b'{"activity": null}'):
            await connection.send(bytes([byte]))
        assert (await connection.receive()).status == 201


async def test_expect_100_continue_is_answered_before_the_body(gateway: Gateway) -> None:
    async with await gateway.connect() as connection:
        fields = {"Expect": "100-continue", "Content-Length": "2"}
        await connection.send(request_bytes("POST", "/api/sessions", gateway.host, fields))
        assert (await connection.receive_informational()).status == 100
        await connection.send(b"{}")
        assert (await connection.receive()).status == 201


async def test_a_refusal_replaces_100_continue(gateway: Gateway) -> None:
    async with await gateway.connect() as connection:
        fields = {"Expect": "100-continue", "Content-Length": "50000000"}
        await connection.send(request_bytes("POST", "/api/sessions", gateway.host, fields))
        assert (await connection.receive_informational()).status == 413


async def test_chunks_with_extensions_and_trailers_are_accepted(gateway: Gateway) -> None:
    body = b'1;name="v;x"\r\n{\r\n1 \r\n}\r\n0;last\r\nX-Trailer: ignored\r\n\r\n'.replace(
        b"1 \r\n", b"1\r\n"
    )
    async with await gateway.connect() as connection:
        for _ in range(2):
            fields = {"Transfer-Encoding": "chunked"}
            await connection.send(request_bytes("POST", "/api/sessions", gateway.host, fields, body))
            assert (await connection.receive()).status == 201


@pytest.mark.parametrize(
    ("name", "sent"),
    [
        ("headSeconds", b""),
        ("headSeconds", b"GET / HTTP/1.1\r\nHost: a\r\n"),
        ("bodyStallSeconds", b"POST /api/sessions HTTP/1.1\r\nHost: a\r\nContent-Length: 10\r\n\r\n{"),
    ],
    ids=["nothing", "half a head", "half a body"],
)
async def test_late_requests_get_408_or_are_closed(gateway_with, name: str, sent: bytes) -> None:
    gateway: Gateway = gateway_with(**IMPATIENT)
    async with await gateway.connect() as connection:
        await connection.send(sent)
        if sent:
            response = await connection.receive()
            response.problem(408)
            assert response["connection"] == "close", name
        assert await connection.ends() == b""


async def test_a_slow_head_gets_no_more_time(gateway_with) -> None:
    gateway: Gateway = gateway_with(**IMPATIENT)
    async with await gateway.connect() as connection:
        await connection.send(b"GET / HTTP/1.1\r\nHost: a\r\nX: ")
        answer = asyncio.create_task(connection.receive())
        while not answer.done():
            await connection.send(b"x")
            await asyncio.wait([answer], timeout=0.2)
        (await answer).problem(408)


async def test_an_idle_connection_is_closed_without_a_response(gateway_with) -> None:
    gateway: Gateway = gateway_with(**IMPATIENT)
    async with await gateway.connect() as connection:
        await connection.send(request_bytes("GET", "/healthz", gateway.host))
        assert (await connection.receive()).status == 200
        assert await connection.ends() == b""


async def test_connections_over_the_limit_get_an_error(gateway_with) -> None:
    gateway: Gateway = gateway_with(connections=3)
    held: list[HTTPConnection] = []
    try:
        for _ in range(3):
            held.append(await gateway.connect())
            await held[-1].send(request_bytes("GET", "/healthz", gateway.host))
            assert (await held[-1].receive()).status == 200
        refused = await gateway.get("/api/limits")
        assert refused.problem(503, "too-many")["limit"] == 3
        held.pop().abort()

        async def is_served() -> bool:
            return (await gateway.get("/api/limits")).status == 200

        await until(is_served, "a place is free again")
    finally:
        for connection in held:
            connection.abort()


async def test_a_head_up_to_head_bytes_is_accepted(gateway: Gateway) -> None:
    assert (await gateway.get("/healthz", X_Long="x" * 30_000)).status == 200

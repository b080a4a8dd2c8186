"""From http to https: --redirect-to-https and --hsts."""

from __future__ import annotations

import pytest

from gateway import Gateway
from http1 import HTTPConnection, request_bytes
from room import Room, note


@pytest.fixture
def redirecting(gateway_with) -> Gateway:
    return gateway_with("--redirect-to-https", "--hsts")


@pytest.mark.parametrize("target", ["/", "/s/AbCdEfGhIjKlMnOpQrStUw?x=%20y", "/js/app/app.js", "/nothing"])
@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_pages_are_redirected_to_https(
    redirecting: Gateway, method: str, target: str
) -> None:
    answer = await redirecting.request(method, target)
    assert answer.status == 308 and answer.body == b""
    assert answer["location"] == f"https://127.0.0.1:{redirecting.https[1]}{target}"
    assert answer["cache-control"] == "no-store"
    assert answer.get("strict-transport-security") is None
    async with await redirecting.connect(tls=True) as connection:
        host = answer["location"].split("/")[2]
        await connection.send(request_bytes("GET", target, host))
        page = await connection.receive()
        assert page.status == (404 if target == "/nothing" else 200)
        assert page["strict-transport-security"] == "max-age=31536000"


async def test_api_and_monitoring_requests_are_not_redirected(redirecting: Gateway) -> None:
    for target in ("/healthz", "/readyz", "/metrics", "/api/limits"):
        assert (await redirecting.get(target)).status == 200, target
    async with Room(redirecting) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(note("in plain text"))
        await ben.got(b"in plain text")


async def test_a_public_url_is_the_redirects_target_for_any_port(gateway_with) -> None:
    gateway: Gateway = gateway_with("--redirect-to-https", "--public-url", "https://draw.example")
    for host in ("draw.example", "draw.example:8080", "DRAW.example:80"):
        answer = await gateway.get("/s/x?y", Host=host)
        assert (answer.status, answer.get("location")) == (308, "https://draw.example/s/x?y"), host
    assert (await gateway.get("/", Host="elsewhere.example")).status == 421


async def test_a_request_without_a_host_is_not_redirected(redirecting: Gateway) -> None:
    async with await HTTPConnection.open(redirecting.http) as connection:
        await connection.send("GET / HTTP/1.0\r\n\r\n")
        assert (await connection.receive()).status == 200

"""Section 1: refused requests. The response arrives, and the connection is closed."""

from __future__ import annotations

import base64
import hashlib
import re

import pytest

from gateway import Gateway
from http1 import request_bytes

LONG = "a" * 100_000
BAD_HEADS = [
    ("no Host", 400, "GET / HTTP/1.1\r\n\r\n"),
    ("two Hosts", 400, "GET / HTTP/1.1\r\nHost: a\r\nHost: a\r\n\r\n"),
    ("a Host with a space", 400, "GET / HTTP/1.1\r\nHost: a b\r\n\r\n"),
    ("a Host with a path", 400, "GET / HTTP/1.1\r\nHost: a/b\r\n\r\n"),
    ("a Host with a user", 400, "GET / HTTP/1.1\r\nHost: u@a\r\n\r\n"),
    ("a port that is none", 400, "GET / HTTP/1.1\r\nHost: a:b\r\n\r\n"),
    ("an empty Host", 400, "GET / HTTP/1.1\r\nHost: \r\n\r\n"),
    ("Content-Length and Transfer-Encoding", 400,
     "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 5\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("two Content-Lengths", 400, "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n"),
    ("Content-Length twice the same", 400,
     "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 1\r\nContent-Length: 1\r\n\r\nx"),
    ("Content-Length +1", 400, "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: +1\r\n\r\nx"),
    ("Content-Length -1", 400, "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: -1\r\n\r\nx"),
    ("Content-Length 0x1", 400, "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 0x1\r\n\r\nx"),
    ("Content-Length beyond 64 bits", 413,
     "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: 18446744073709551617\r\n\r\nx"),
    ("an empty Content-Length", 400, "POST / HTTP/1.1\r\nHost: {host}\r\nContent-Length: \r\n\r\n"),
    ("two Transfer-Encodings", 400,
     "POST / HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n"),
    ("a bare LF", 400, "GET / HTTP/1.1\nHost: {host}\n\n"),
    ("a bare LF in the fields", 400, "GET / HTTP/1.1\r\nHost: {host}\nX: y\r\n\r\n"),
    ("a bare CR", 400, "GET / HTTP/1.1\r\nHost: {host}\r\nX: a\rb\r\n\r\n"),
    ("a folded line", 400, "GET / HTTP/1.1\r\nHost: {host}\r\nX: a\r\n b\r\n\r\n"),
    ("a folded first line", 400, "GET / HTTP/1.1\r\n Host: {host}\r\n\r\n"),
    ("a space before the colon", 400, "GET / HTTP/1.1\r\nHost : {host}\r\n\r\n"),
    ("a field without a colon", 400, "GET / HTTP/1.1\r\nHost: {host}\r\nnonsense\r\n\r\n"),
    ("an empty field name", 400, "GET / HTTP/1.1\r\nHost: {host}\r\n: x\r\n\r\n"),
    ("NUL in a value", 400, "GET / HTTP/1.1\r\nHost: {host}\r\nX: a\0b\r\n\r\n"),
    ("a control character in a value", 400, "GET / HTTP/1.1\r\nHost: {host}\r\nX: a\x01b\r\n\r\n"),
    ("a control character in the target", 400, "GET /a\x01b HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    ("a space in the target", 400, "GET /a b HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    ("no target", 400, "GET HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    ("a protocol that is none", 400, "GET / HTTQ/1.1\r\nHost: {host}\r\n\r\n"),
    ("HTTP/2.0", 505, "GET / HTTP/2.0\r\nHost: {host}\r\n\r\n"),
    ("a TLS hello", 400, "\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03" + "\0" * 200),
    ("too long a line", 414, "GET /" + LONG + " HTTP/1.1\r\nHost: {host}\r\n\r\n"),
    ("too large a field", 431, "GET / HTTP/1.1\r\nHost: {host}\r\nX: " + LONG + "\r\n\r\n"),
    ("too many fields", 431, "GET / HTTP/1.1\r\nHost: {host}\r\n" + "X: y\r\n" * 20_000 + "\r\n"),
    ("a coding that is not spoken", 501,
     "POST /api/sessions HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: gzip, chunked\r\n\r\n0\r\n\r\n"),
    ("a chunk size that is none", 400,
     "POST /api/sessions HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\nxyz\r\n"),
    ("a chunk that is longer than it says", 400,
     "POST /api/sessions HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n1\r\nabc\r\n0\r\n\r\n"),
    ("a chunk size beyond 64 bits", 413,
     "POST /api/sessions HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n10000000000000001\r\nabc"),
    ("a bare LF after a chunk size", 400,
     "POST /api/sessions HTTP/1.1\r\nHost: {host}\r\nTransfer-Encoding: chunked\r\n\r\n1\nx\n0\n\n"),
]  # fmt: skip


@pytest.mark.parametrize("behind", [0, 150_000], ids=["alone", "with more behind"])
@pytest.mark.parametrize(
    ("status", "head"), [case[1:] for case in BAD_HEADS], ids=[case[0] for case in BAD_HEADS]
)
async def test_a_bad_head_is_answered_and_the_connection_closed(
    gateway: Gateway, status: int, head: str, behind: int
) -> None:
    async with await gateway.connect() as connection:
        await connection.send(head.replace("{host}", gateway.host).encode("latin-1") + b"x" * behind)
        response = await connection.receive()
        response.problem(status)
        assert response["connection"] == "close"
        assert await connection.ends() == b""


async def test_a_too_large_content_length_is_413_at_once(gateway: Gateway) -> None:
    async with await gateway.connect() as connection:
        fields = {"Content-Length": "50000000"}
        await connection.send(request_bytes("POST", "/api/sessions", gateway.host, fields) + b" " * 100_000)
        response = await connection.receive()
        response.problem(413)
        assert response["connection"] == "close"


async def test_a_too_large_chunked_body_is_413(gateway: Gateway) -> None:
    async with await gateway.connect() as connection:
        fields = {"Transfer-Encoding": "chunked"}
        await connection.send(request_bytes("POST", "/api/sessions", gateway.host, fields))
        await connection.send((b"10000\r\n" + b" " * 65_536 + b"\r\n") * 4)
        (await connection.receive()).problem(413)


@pytest.mark.parametrize(
    ("method", "path", "allowed"),
    [
        ("PUT", "/api/sessions", {"POST"}),
        ("GET", "/api/sessions", {"POST"}),
        ("PUT", "/api/sessions/AAAAAAAAAAAAAAAAAAAAAA", {"GET", "DELETE"}),
        ("POST", "/", {"GET", "HEAD"}),
        ("DELETE", "/healthz", {"GET"}),
        ("POST", "/api/limits", {"GET"}),
    ],
)
async def test_an_unsupported_method_is_405_with_allow(
    gateway: Gateway, method: str, path: str, allowed: set[str]
) -> None:
    response = await gateway.request(method, path, {}, b"")
    response.problem(405)
    assert allowed <= {name.strip() for name in response["allow"].split(",")}


@pytest.mark.parametrize("method", ["BREW", "get", "CONNECT", "TRACE"])
async def test_an_unknown_method_is_501_or_405(gateway: Gateway, method: str) -> None:
    target = "example.org:80" if method == "CONNECT" else "/"
    response = await gateway.request(method, target)
    assert response.status in ((501,) if method in ("BREW", "get") else (400, 405, 501))
    response.problem(response.status)


@pytest.mark.parametrize("path", ["/nothing", "/api", "/api/", "/api/nothing", "/s/", "/s", "/api/sessions/"])
async def test_a_missing_resource_is_404(gateway: Gateway, path: str) -> None:
    (await gateway.get(path)).problem(404, "not-found")


BROWSER = "text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8"


@pytest.mark.parametrize("path", ["/nothing", "/api/nothing", "/s/", "/s/A/B", "/.hidden"])
async def test_a_browser_at_a_missing_resource_gets_a_page(gateway: Gateway, path: str) -> None:
    response = await gateway.get(path, Accept=BROWSER)
    assert response.status == 404
    assert response["content-type"].replace(" ", "").lower() == "text/html;charset=utf-8"
    page = response.text
    assert '<html lang="en">' in page and '<a href="/">' in page
    # The page loads no other file, and the policy allows only its inline style sheet.
    assert not re.search(r"<script|\bsrc=|<link|\bstyle=|url\(|@import", page)
    style = re.search(r"<style>(.*?)</style>", page, re.S)
    assert style
    hash_ = base64.b64encode(hashlib.sha256(style[1].encode()).digest()).decode()
    policy = response["content-security-policy"]
    assert f"style-src 'self' 'sha256-{hash_}'" in policy and "unsafe" not in policy
    assert "default-src 'none'" in policy and "script-src 'self';" in policy
    german = await gateway.get(path, Accept=BROWSER, Accept_Language="de-DE,de;q=0.9,en;q=0.5")
    assert '<html lang="de">' in german.text
    head = await gateway.request("HEAD", path, {"Accept": BROWSER})
    assert (head.status, head["content-length"]) == (404, response["content-length"])


async def test_options_lists_the_allowed_methods(gateway: Gateway) -> None:
    response = await gateway.request("OPTIONS", "/api/sessions")
    assert response.status in (200, 204)
    assert "POST" in response["allow"]


async def test_an_absolute_target_is_accepted(gateway: Gateway) -> None:
    response = await gateway.get(f"http://{gateway.host}/healthz")
    assert response.status == 200

"""RFC 9112: a request with an ambiguous end is answered once, and nothing behind it is parsed as a request."""

from __future__ import annotations

import re

import pytest

from gateway import Gateway
from hostile import all_that_comes
from http1 import request_bytes
from rawsocket import PING, PONG, TEXT, RawSocket, frame, upgrade_fields
from room import Room

POST = "POST /api/sessions HTTP/1.1\r\nHost: {host}\r\n"
BEHIND = "GET /api/limits HTTP/1.1\r\nHost: {host}\r\n\r\n"
CHUNKED = POST + "Transfer-Encoding: chunked\r\n\r\n"
EMPTY = "\r\n\r\n0\r\n\r\n"
CODED = [
    # RFC 9112 §6.3 item 4: a final coding that is not chunked; §6.1: 501 for one that is not understood.
    ("xchunked", {400, 501}, "Transfer-Encoding: xchunked"),
    ("chunked then identity", {400, 501}, "Transfer-Encoding: chunked, identity"),
    ("chunked then identity without a space", {400, 501}, "Transfer-Encoding: chunked,identity"),
    ("identity then chunked", {400, 501}, "Transfer-Encoding: identity, chunked"),
    ("identity", {400, 501}, "Transfer-Encoding: identity"),
    ("chunked twice", {400}, "Transfer-Encoding: chunked, chunked"),
    ("chunked in quotes", {400, 501}, 'Transfer-Encoding: "chunked"'),
    ("chunked with a parameter", {400, 501}, "Transfer-Encoding: chunked;q=1"),
    ("chunked and a word", {400, 501}, "Transfer-Encoding: chunked x"),
    ("chun ked", {400, 501}, "Transfer-Encoding: chun ked"),
    ("a coding that is empty", {400, 501}, "Transfer-Encoding:"),
    ("a comma", {400, 501}, "Transfer-Encoding: ,"),
    ("two fields, the second another", {400, 501}, "Transfer-Encoding: chunked\r\nTransfer-Encoding: identity"),
    ("two fields, the first another", {400, 501}, "Transfer-Encoding: x\r\nTransfer-Encoding: chunked"),
    ("two fields in two cases", {400}, "Transfer-Encoding: chunked\r\ntransfer-encoding: chunked"),
    # RFC 9110 §5.5: CR, LF and NUL are invalid in a value, other controls are no token.
    ("a vertical tab before", {400, 501}, "Transfer-Encoding: \x0bchunked"),
    ("a vertical tab behind", {400, 501}, "Transfer-Encoding: chunked\x0b"),
    ("a form feed", {400, 501}, "Transfer-Encoding: \x0cchunked"),
    ("a no-break space", {400, 501}, "Transfer-Encoding: \xa0chunked"),
    ("a next line", {400, 501}, "Transfer-Encoding: \x85chunked"),
    ("NUL behind", {400}, "Transfer-Encoding: chunked\0"),
    ("NUL before", {400}, "Transfer-Encoding: \0chunked"),
    ("a bare CR behind", {400}, "Transfer-Encoding: chunked\r"),
    ("a bare CR before", {400}, "Transfer-Encoding: \rchunked"),
    ("a bare CR, then the field", {400}, "X: y\rTransfer-Encoding: chunked"),
    ("a bare LF, then the field", {400}, "X: y\nTransfer-Encoding: chunked"),
    ("a bare LF behind", {400}, "Transfer-Encoding: chunked\nX: y"),
    # RFC 9112 §5.1: whitespace before the colon MUST be refused; §5.2: so is obs-fold.
    ("a space before the colon", {400}, "Transfer-Encoding : chunked"),
    ("a tab before the colon", {400}, "Transfer-Encoding\t: chunked"),
    ("NUL in the name", {400}, "Transfer\0-Encoding: chunked"),
    ("a folded value", {400}, "Transfer-Encoding:\r\n chunked"),
    ("a folded value with a tab", {400}, "Transfer-Encoding:\r\n\tchunked"),
    ("folded away", {400}, "X: y\r\n Transfer-Encoding: chunked"),
    ("a space before the name", {400}, " Transfer-Encoding: chunked"),
    ("a name with a vertical tab", {400}, "\x0bTransfer-Encoding: chunked"),
    ("a name with a no-break space", {400}, "Transfer-Encoding\xa0: chunked"),
    ("a colon too many", {400, 501}, "Transfer-Encoding:: chunked"),
]  # fmt: skip
MEASURED = [
    ("coding, then length", {400}, "Transfer-Encoding: chunked\r\nContent-Length: 5" + EMPTY),
    ("length, then coding", {400}, "Content-Length: 5\r\nTransfer-Encoding: chunked" + EMPTY),
    ("a length of 0 and a coding", {400}, "Content-Length: 0\r\nTransfer-Encoding: chunked" + EMPTY),
    ("a length and a coding not known", {400, 501}, "Content-Length: 5\r\nTransfer-Encoding: x" + EMPTY),
    ("two lengths", {400}, "Content-Length: 0\r\nContent-Length: 40\r\n\r\n"),
    ("two lengths in two cases", {400}, "Content-Length: 0\r\ncontent-length: 40\r\n\r\n"),
    ("5, 6", {400}, "Content-Length: 5, 6\r\n\r\n"),
    ("5,5", {400}, "Content-Length: 5,5\r\n\r\n"),
    ("5 5", {400}, "Content-Length: 5 5\r\n\r\n"),
    ("+5", {400}, "Content-Length: +5\r\n\r\n"),
    ("-5", {400}, "Content-Length: -5\r\n\r\n"),
    ("-0", {400}, "Content-Length: -0\r\n\r\n"),
    ("0x5", {400}, "Content-Length: 0x5\r\n\r\n"),
    ("5h", {400}, "Content-Length: 5h\r\n\r\n"),
    ("5.0", {400}, "Content-Length: 5.0\r\n\r\n"),
    ("1e1", {400}, "Content-Length: 1e1\r\n\r\n"),
    ("1_0", {400}, "Content-Length: 1_0\r\n\r\n"),
    ("5;x", {400}, "Content-Length: 5;x\r\n\r\n"),
    ('"5"', {400}, 'Content-Length: "5"\r\n\r\n'),
    ("a vertical tab", {400}, "Content-Length: \x0b5\r\n\r\n"),
    ("a no-break space", {400}, "Content-Length: \xa05\r\n\r\n"),
    ("digits of another script", {400}, "Content-Length: \xd9\xa5\r\n\r\n"),
    ("a superscript", {400}, "Content-Length: \xb2\r\n\r\n"),
    ("2^31", {413}, "Content-Length: 2147483648\r\n\r\n"),
    ("2^32", {413}, "Content-Length: 4294967296\r\n\r\n"),
    ("2^63", {413, 400}, "Content-Length: 9223372036854775808\r\n\r\n"),
    ("2^64", {413, 400}, "Content-Length: 18446744073709551616\r\n\r\n"),
    ("2^64 + 5", {413, 400}, "Content-Length: 18446744073709551621\r\n\r\n"),
    ("a number of 10,000 digits", {413, 400}, "Content-Length: " + "9" * 10_000 + "\r\n\r\n"),
    ("a space before the colon", {400}, "Content-Length : 5\r\n\r\n"),
    ("folded", {400}, "Content-Length:\r\n 5\r\n\r\n"),
    ("a bare LF, then a length", {400}, "X: y\nContent-Length: 40\r\n\r\n"),
    ("a bare CR, then a length", {400}, "X: y\rContent-Length: 40\r\n\r\n"),
    ("a bare LF at the end of the head", {400}, "Content-Length: 5\r\n\n"),
    ("bare CRs at the end of the head", {400}, "Content-Length: 5\r\r"),
]  # fmt: skip
CHUNKS = [
    ("+1", {400}, "+1\r\nx\r\n0\r\n\r\n"), ("-1", {400}, "-1\r\nx\r\n0\r\n\r\n"), ("0x1", {400}, "0x1\r\nx\r\n0\r\n\r\n"),
    ("1_0", {400}, "1_0\r\nx\r\n0\r\n\r\n"), ("1h", {400}, "1h\r\nx\r\n0\r\n\r\n"), ("a space before", {400}, " 1\r\nx\r\n0\r\n\r\n"),
    ("a tab before", {400}, "\t1\r\nx\r\n0\r\n\r\n"), ("no size", {400}, "\r\nx\r\n0\r\n\r\n"), ("a size of ;", {400}, ";x\r\nx\r\n0\r\n\r\n"),
    ("two sizes", {400}, "1 1\r\nx\r\n0\r\n\r\n"), ("NUL behind", {400}, "1\0\r\nx\r\n0\r\n\r\n"), ("a vertical tab", {400}, "1\x0b\r\nx\r\n0\r\n\r\n"),
    ("2^63 − 1", {413, 400}, "7fffffffffffffff\r\nx"), ("2^63", {413, 400}, "8000000000000000\r\nx"), ("2^64 − 1", {413, 400}, "ffffffffffffffff\r\nx"),
    ("2^64 + 2", {413, 400}, "10000000000000002\r\n{}\r\n0\r\n\r\n"), ("2^32 + 2", {413, 400}, "100000002\r\n{}\r\n0\r\n\r\n"),
    ("a size of 40,000 zeros", {400, 413, 431}, "0" * 40_000 + "2\r\n{}\r\n0\r\n\r\n"),
    ("an extension of 100,000 bytes", {400, 413, 431}, "2;" + "x" * 100_000 + "\r\n{}\r\n0\r\n\r\n"),
    ("an extension with a bare LF", {400}, "2;x\n{}\r\n0\r\n\r\n"), ("an extension with a bare LF inside", {400}, "2;a\nb\r\n{}\r\n0\r\n\r\n"),
    ("an extension with a bare CR", {400}, "2;a\rb\r\n{}\r\n0\r\n\r\n"), ("an extension with NUL", {400}, "2;a\0b\r\n{}\r\n0\r\n\r\n"),
    ("a bare CR behind the size", {400}, "2\r{}\r\n0\r\n\r\n"), ("two CRs behind the size", {400}, "2\r\r\n{}\r\n0\r\n\r\n"),
    ("no end of the data", {400}, "2\r\n{}0\r\n\r\n"), ("a bare LF behind the data", {400}, "2\r\n{}\n0\r\n\r\n"),
    ("a bare CR behind the data", {400}, "2\r\n{}\r0\r\n\r\n"), ("data too short", {400}, "3\r\n{}\r\n0\r\n\r\n"),
    ("a bare LF behind the last chunk", {400}, "2\r\n{}\r\n0\n\r\n"), ("a bare LF at the very end", {400}, "2\r\n{}\r\n0\r\n\n"),
    ("a trailer with a bare LF", {400}, "2\r\n{}\r\n0\r\nX: y\n\r\n"), ("a trailer that is folded", {400}, "2\r\n{}\r\n0\r\nX: y\r\n z\r\n\r\n"),
    ("a trailer without a colon", {400}, "2\r\n{}\r\n0\r\nnonsense\r\n\r\n"), ("a trailer with a space before the colon", {400}, "2\r\n{}\r\n0\r\nX : y\r\n\r\n"),
    ("a trailer with NUL", {400}, "2\r\n{}\r\n0\r\nX: a\0\r\n\r\n"), ("a trailer that is a request", {400}, "2\r\n{}\r\n0\r\nGET / HTTP/1.1\r\nHost: a\r\n\r\n"),
    ("trailers of 100,000 bytes", {400, 413, 431}, "2\r\n{}\r\n0\r\n" + "X: y\r\n" * 17_000 + "\r\n"),
]  # fmt: skip
LINES = [
    ("a tab for a space", {400}, "GET\t/healthz\tHTTP/1.1"), ("two spaces", {400}, "GET  /healthz HTTP/1.1"), ("a space before", {400}, " GET /healthz HTTP/1.1"),
    ("two spaces before the version", {400}, "GET /healthz  HTTP/1.1"), ("a space behind", {400}, "GET /healthz HTTP/1.1 "), ("a space in the target", {400}, "GET /health z HTTP/1.1"),
    ("a tab in the target", {400}, "GET /health\tz HTTP/1.1"), ("a bare CR in the target", {400}, "GET /health\rz HTTP/1.1"), ("NUL in the target", {400}, "GET /healthz\0 HTTP/1.1"),
    ("bytes above ASCII in the target", {400, 404}, "GET /h\xe9 HTTP/1.1"), ("a version in small letters", {400}, "GET /healthz http/1.1"), ("HTTP/1.10", {400, 505}, "GET /healthz HTTP/1.10"),
    ("HTTP/01.1", {400, 505}, "GET /healthz HTTP/01.1"), ("HTTP/1", {400, 505}, "GET /healthz HTTP/1"), ("HTTP/11", {400, 505}, "GET /healthz HTTP/11"), ("HTTP/1.1 twice", {400}, "GET /healthz HTTP/1.1 HTTP/1.1"),
    ("HTTP/0.9", {400, 505}, "GET /healthz"), ("a comma in the version", {400, 505}, "GET /healthz HTTP/1,1"), ("the preface of HTTP/2", {400, 505}, "PRI * HTTP/2.0"),
    ("a target without a slash", {400}, "GET healthz HTTP/1.1"), ("an authority", {400}, "GET a.example:80 HTTP/1.1"), ("an asterisk", {400}, "GET * HTTP/1.1"),
    ("a fragment", {400}, "GET /healthz#x HTTP/1.1"), ("a backslash", {400, 404}, "GET \\healthz HTTP/1.1"), ("another scheme", {400, 404, 421}, "GET ftp://a.example/healthz HTTP/1.1"), ("a method with a colon", {400}, "GE:T /healthz HTTP/1.1"),
    ("a method with quotes", {400}, 'G"ET /healthz HTTP/1.1'), ("a method with bytes above ASCII", {400}, "G\xc9T /healthz HTTP/1.1"), ("an absolute target without a host", {400}, "GET http:///healthz HTTP/1.1"),
    ("an absolute target with a user", {400}, "GET http://u:p@a.example/healthz HTTP/1.1"), ("an absolute target with a bad port", {400}, "GET http://a.example:x/healthz HTTP/1.1"),
]  # fmt: skip
HOSTS = [
    ("another Host in another case", "Host: {host}\r\nhost: a.example"), ("a Host with a comma", "Host: {host}, a.example"), ("a Host with a query", "Host: {host}?x"),
    ("a Host with a fragment", "Host: {host}#x"), ("a Host with a backslash", "Host: {host}\\x"), ("a Host with a tab inside", "Host: a\tb"), ("a Host with NUL", "Host: {host}\0"),
    ("a Host with a percent sign and no digits", "Host: a%zz"), ("a Host with bytes above ASCII", "Host: \xe9.example"), ("a Host with a vertical tab", "Host: \x0b{host}"), ("a Host in brackets that is no address", "Host: [zz]"),
    ("a Host with half a bracket", "Host: [::1"), ("a port of six digits", "Host: a:655360"), ("a port with a sign", "Host: a:+80"), ("two ports", "Host: a:80:80"), ("a scheme", "Host: http://{host}"), ("a space before the colon", "Host : {host}"),
]  # fmt: skip
REFUSED = (
    [(f"coding: {name}", statuses, POST + field + EMPTY) for name, statuses, field in CODED]
    + [
        (f"coding and a length: {name}", statuses, POST + "Content-Length: 5\r\n" + field + EMPTY)
        for name, statuses, field in CODED
    ]
    + [(f"length: {name}", statuses, POST + rest) for name, statuses, rest in MEASURED]
    + [(f"chunk: {name}", statuses, CHUNKED + body) for name, statuses, body in CHUNKS]
    + [(f"line: {name}", statuses, line + "\r\nHost: {host}\r\n\r\n") for name, statuses, line in LINES]
    + [(f"host: {name}", {400}, "GET /healthz HTTP/1.1\r\n" + field + "\r\n\r\n") for name, field in HOSTS]
)


def told(gateway: Gateway, text: str) -> bytes:
    return text.replace("{host}", gateway.host).encode("latin-1")


def statuses_of(answers: bytes) -> list[int]:
    """Returns the status of every response in these bytes. No body contains such a line."""
    return [int(status) for status in re.findall(rb"HTTP/1\.1 (\d{3}) ", answers)]


async def exchange(gateway: Gateway, data: bytes, pieces: int = 0) -> bytes:
    """Sends the data, whole or in pieces, and returns all received bytes until the gateway closes."""
    async with await gateway.connect() as connection:
        for first in range(0, len(data), pieces or len(data)):
            await connection.send(data[first : first + (pieces or len(data))])
        return await all_that_comes(connection)


@pytest.mark.parametrize(
    ("statuses", "request_"), [case[1:] for case in REFUSED], ids=[case[0] for case in REFUSED]
)
async def test_ambiguous_framing_is_refused_and_ends_the_connection(
    gateway: Gateway, statuses: set[int], request_: str
) -> None:
    data = told(gateway, request_ + BEHIND * 2)
    for pieces in (0, 7) if len(data) < 2_000 else (0, 9_000):
        answers = await exchange(gateway, data, pieces)
        (status,) = statuses_of(answers)
        assert status in statuses, answers[:300]
        assert b"attachmentBytes" not in answers, "what stood behind was answered"
        assert b"\r\nconnection: close\r\n" in answers.lower()


UNDERSTOOD = [
    ("a tab before chunked", "Transfer-Encoding:\tchunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    ("blanks behind chunked", "Transfer-Encoding: chunked \t \r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    ("CHUNKED", "Transfer-Encoding: CHUNKED\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    ("no blank before chunked", "Transfer-Encoding:chunked\r\n\r\n2\r\n{}\r\n0\r\n\r\n"),
    ("a field that only looks like it", "Transfer_Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}"),
    ("another that only looks like it", "X-Transfer-Encoding: chunked\r\nContent-Length: 2\r\n\r\n{}"),
    ("a last chunk of many zeros", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0000\r\n\r\n"),
    ("a size with zeros before it", "Transfer-Encoding: chunked\r\n\r\n0002\r\n{}\r\n0\r\n\r\n"),
    ("a length with zeros before it", "Content-Length: 0002\r\n\r\n{}"),
    ("a length with blanks around it", "Content-Length: \t2 \t\r\n\r\n{}"),
    ("a trailer that is a length", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nContent-Length: 90\r\n\r\n"),
    ("a trailer that is a coding", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nTransfer-Encoding: chunked\r\n\r\n"),
    ("a trailer that is a Host", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nHost: evil.example\r\n\r\n"),
    ("a trailer that asks to close", "Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n0\r\nConnection: close\r\n\r\n"),
]  # fmt: skip


@pytest.mark.parametrize("rest", [case[1] for case in UNDERSTOOD], ids=[case[0] for case in UNDERSTOOD])
async def test_valid_framing_is_accepted_and_the_next_request_is_answered(
    gateway: Gateway, rest: str
) -> None:
    last = f"GET /healthz HTTP/1.1\r\nHost: {gateway.host}\r\nConnection: close\r\n\r\n"
    for pieces in (0, 1):
        answers = await exchange(gateway, told(gateway, POST + rest + BEHIND) + last.encode(), pieces)
        assert statuses_of(answers) == [201, 200, 200], answers[:300]


async def test_a_trailing_comma_is_an_empty_element(gateway: Gateway) -> None:
    """RFC 9110 §5.6.1: empty elements may be ignored, or else are refused."""
    for value in ("chunked,", ",chunked", ", chunked ,"):
        data = POST + f"Transfer-Encoding: {value}\r\n\r\n2\r\n{{}}\r\n0\r\n\r\n" + BEHIND
        last = f"GET /healthz HTTP/1.1\r\nHost: {gateway.host}\r\nConnection: close\r\n\r\n"
        statuses = statuses_of(await exchange(gateway, told(gateway, data) + last.encode()))
        assert statuses in ([201, 200, 200], [400], [501]), value


@pytest.mark.parametrize("fields", ["", "Content-Length: 2\r\n", "Connection: keep-alive\r\n"])
async def test_a_transfer_coding_with_http_1_0_closes_the_connection(
    gateway: Gateway, fields: str
) -> None:
    """RFC 9112 §6.1: such framing is faulty in any case, and the connection is closed."""
    head = f"POST /api/sessions HTTP/1.0\r\nHost: {{host}}\r\n{fields}Transfer-Encoding: chunked\r\n\r\n"
    answers = await exchange(gateway, told(gateway, head + "2\r\n{}\r\n0\r\n\r\n" + BEHIND))
    (status,) = statuses_of(answers)
    assert status in (201, 400), answers[:300]


@pytest.mark.parametrize("method", ["GET", "HEAD", "OPTIONS", "DELETE", "BREW"])
@pytest.mark.parametrize("is_chunked", [False, True], ids=["length", "chunked"])
async def test_an_unexpected_body_is_not_parsed_as_a_request(
    gateway: Gateway, method: str, is_chunked: bool
) -> None:
    """A body that looks like a request is skipped, or the connection is closed. It is never answered."""
    inner = told(gateway, BEHIND)
    coded = b"Transfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n0\r\n\r\n" % (len(inner), inner)
    body = coded if is_chunked else b"Content-Length: %d\r\n\r\n%s" % (len(inner), inner)
    last = f"GET /healthz HTTP/1.1\r\nHost: {gateway.host}\r\nConnection: close\r\n\r\n".encode()
    head = f"{method} /healthz HTTP/1.1\r\nHost: {gateway.host}\r\n".encode()
    answers = await exchange(gateway, head + body + last)
    assert b"attachmentBytes" not in answers
    assert 1 <= len(statuses_of(answers)) <= 2
    if len(statuses_of(answers)) == 2:
        assert statuses_of(answers)[1] == 200


async def test_a_request_behind_an_upgrade_is_a_bad_frame(gateway: Gateway) -> None:
    """RFC 6455 §5.2: `G` is a continuation frame with RSV1, without a first frame. Bytes behind the 101 are not HTTP."""
    async with Room(gateway) as room:
        ask = request_bytes("GET", f"{room.path}/socket", gateway.host, upgrade_fields())
        for pieces in (0, 1):
            answers = await exchange(gateway, ask + told(gateway, BEHIND * 3), pieces)
            assert statuses_of(answers) == [101]
            frames = answers[answers.index(b"\r\n\r\n") + 4 :]
            assert frames[0] == 0x88 and frames[2:4] == (1002).to_bytes(2, "big"), frames
            assert b"attachmentBytes" not in answers


@pytest.mark.parametrize("fields", [{"Content-Length": "40"}, {"Transfer-Encoding": "chunked"}], ids=str)
async def test_an_upgrade_with_a_body_is_refused_or_the_body_is_skipped(
    gateway: Gateway, fields: dict[str, str]
) -> None:
    async with Room(gateway) as room:
        body = (frame(TEXT, b'{"join": {"name": "Smuggled"}}') + bytes(40))[:40]
        if "Transfer-Encoding" in fields:
            body = b"28\r\n" + body + b"\r\n0\r\n\r\n"
        ask = request_bytes("GET", f"{room.path}/socket", gateway.host, upgrade_fields() | fields)
        async with await gateway.connect() as connection:
            await connection.send(ask + body)
            response = await connection.receive()
            assert response.status in (101, 400), response
            if response.status == 400:
                assert response["connection"] == "close"
                assert await connection.ends() == b""
            else:
                socket = RawSocket(connection, response)
                await socket.send(frame(PING, b"the first frame"))
                first = await socket.receive()
                assert (first.opcode, first.payload) == (PONG, b"the first frame"), (
                    "the body was taken for frames"
                )
            assert (await gateway.session(room.id))["participants"] == 0


async def test_http_1_0_cannot_upgrade(gateway: Gateway) -> None:
    """RFC 9110 §7.8: a server MUST ignore an Upgrade field in an HTTP/1.0 request."""
    async with Room(gateway) as room:
        ask = request_bytes("GET", f"{room.path}/socket", gateway.host, upgrade_fields())
        answers = await exchange(gateway, ask.replace(b"HTTP/1.1", b"HTTP/1.0", 1))
        assert statuses_of(answers) in ([426], [400]), answers[:300]


async def test_after_a_refused_upgrade_http_continues_or_the_connection_ends(gateway: Gateway) -> None:
    async with Room(gateway) as room:
        fields = upgrade_fields(Sec_WebSocket_Version="12")
        ask = request_bytes("GET", f"{room.path}/socket", gateway.host, fields)
        last = request_bytes("GET", "/healthz", gateway.host, {"Connection": "close"})
        assert statuses_of(await exchange(gateway, ask + last)) in ([426, 200], [426])


@pytest.mark.parametrize(
    ("target", "host", "statuses"),
    [
        ("http://draw.example/api/limits", "draw.example", [200]),
        # RFC 9112 §3.2.2: the host of the target counts, and Host is ignored.
        ("http://draw.example/api/limits", "evil.example", [200]),
        ("http://evil.example/api/limits", "draw.example", [421]),
        ("http://draw.example@evil.example/api/limits", "draw.example", [400]),
        ("http://draw.example:81/api/limits", "draw.example", [421]),
        ("http://DRAW.EXAMPLE/api/limits", "draw.example", [200]),
        ("http://draw.example.evil.example/api/limits", "draw.example", [421]),
        ("/api/limits", "draw.example.", [421, 200]),
        ("/api/limits", "draw.example:81", [421]),
        ("/api/limits", "evil.example", [421]),
        ("/api/limits", "draw.example:80", [200]),
    ],
)
async def test_an_absolute_target_overrides_host(
    gateway_with, target: str, host: str, statuses: list[int]
) -> None:
    gateway: Gateway = gateway_with("--public-url", "http://draw.example")
    data = request_bytes("GET", target, host, {"Connection": "close"})
    (status,) = statuses_of(await exchange(gateway, data))
    assert status in statuses


@pytest.mark.parametrize("before", ["\r\n", "\r\n\r\n"])
async def test_empty_lines_before_a_request_are_skipped(gateway: Gateway, before: str) -> None:
    """RFC 9112 §2.2: one empty line is ignored; more of them are ignored or refused."""
    last = f"GET /healthz HTTP/1.1\r\nHost: {gateway.host}\r\nConnection: close\r\n\r\n"
    answers = statuses_of(await exchange(gateway, (before + last).encode()))
    assert answers == [200] or (answers == [400] and before != "\r\n")


async def test_endless_empty_lines_are_closed(gateway: Gateway) -> None:
    answers = await exchange(gateway, b"\r\n" * 1_000_000, 100_000)
    assert statuses_of(answers) in ([400], [431], [408], [])

"""TLS: versions, resumption, the certificate, and plain text on the wrong port."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import ssl
import stat
import subprocess
import warnings
from pathlib import Path

import pytest

from certificates import make_certificate
from gateway import REPOSITORY, Gateway, trusting
from http1 import HTTPConnection, request_bytes
from polling import until
from room import Room, append, note


def context_for(version: ssl.TLSVersion) -> ssl.SSLContext:
    context = trusting()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # the test needs old versions, which must be refused
        context.minimum_version = context.maximum_version = version
    context.set_ciphers("DEFAULT@SECLEVEL=0")
    return context


async def exchange(
    gateway: Gateway, context: ssl.SSLContext, session: ssl.SSLSession | None = None
) -> tuple[ssl.SSLSession | None, bool | None]:
    """Sends one request over a blocking socket, because asyncio cannot resume sessions. Returns the session, and true if
    it was resumed."""

    def run() -> tuple[ssl.SSLSession | None, bool | None]:
        plain = socket.create_connection(gateway.https, timeout=10)
        with context.wrap_socket(plain, server_hostname="localhost", session=session) as secure:
            host = f"localhost:{gateway.https[1]}"
            secure.sendall(request_bytes("GET", "/healthz", host, {"Connection": "close"}))
            answer = b""
            while piece := secure.recv(65_536):
                answer += piece
            assert answer.startswith(b"HTTP/1.1 200 ")
            return secure.session, secure.session_reused

    return await asyncio.to_thread(run)


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_tls_1_2_and_1_3_work_with_alpn_http_1_1(
    gateway: Gateway, version: ssl.TLSVersion
) -> None:
    context = context_for(version)
    context.set_alpn_protocols(["h2", "http/1.1"])
    async with await HTTPConnection.open(gateway.https, context) as connection:
        secure = connection.writer.get_extra_info("ssl_object")
        assert secure.selected_alpn_protocol() == "http/1.1"
        assert secure.version() == version.name.replace("_", ".")
        assert secure.compression() is None
        assert any(name in secure.cipher()[0] for name in ("GCM", "CHACHA20"))
        await connection.send(request_bytes("GET", "/healthz", f"localhost:{gateway.https[1]}"))
        assert (await connection.receive()).status == 200


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1, ssl.TLSVersion.TLSv1_1])
async def test_older_versions_are_refused(gateway: Gateway, version: ssl.TLSVersion) -> None:
    with pytest.raises(ssl.SSLError, match="(?i)alert protocol version"):
        await HTTPConnection.open(gateway.https, context_for(version))


@pytest.mark.parametrize("version", [ssl.TLSVersion.TLSv1_2, ssl.TLSVersion.TLSv1_3])
async def test_a_tls_session_is_resumed(gateway: Gateway, version: ssl.TLSVersion) -> None:
    context = context_for(version)
    first, was_resumed = await exchange(gateway, context)
    assert not was_resumed
    _, was_resumed = await exchange(gateway, context, first)
    assert was_resumed


@pytest.mark.parametrize(
    "text",
    [
        "GET / HTTP/1.1\r\nHost: {host}\r\n\r\n",
        "POST /api/sessions HTTP/1.0\r\n\r\n",
        "HEAD / HTTP/1.1\r\n\r\n",
    ],
)
async def test_plain_text_on_the_tls_port_gets_a_readable_400_naming_the_https_address(
    gateway: Gateway, text: str
) -> None:
    host = f"127.0.0.1:{gateway.https[1]}"
    async with await HTTPConnection.open(gateway.https) as connection:
        await connection.send(text.replace("{host}", host))
        answer = (await connection.ends()).decode()
        assert answer.startswith("HTTP/1.1 400 ")
        assert "https://" in answer and str(gateway.https[1]) in answer


async def test_invalid_bytes_on_the_tls_port_are_closed(gateway: Gateway) -> None:
    async with await HTTPConnection.open(gateway.https) as connection:
        await connection.send(b"\x16\x03\x01\x00\x05hello" + b"\xff" * 100)
        await connection.ends()
    assert (await gateway.get("/healthz")).status == 200


async def test_the_self_signed_certificate_is_p_256_for_localhost_with_a_private_key_file(
    new_gateway, tmp_path
) -> None:
    gateway: Gateway = new_gateway(folder=tmp_path / "kept")
    pem = await asyncio.to_thread(ssl.get_server_certificate, gateway.https)
    shown = subprocess.run(
        ["openssl", "x509", "-noout", "-text"], input=pem, text=True, capture_output=True, check=True
    )
    assert "NIST CURVE: P-256" in shown.stdout and "DNS:localhost" in shown.stdout
    assert "IP Address:127.0.0.1" in shown.stdout
    keys = [
        f for f in (tmp_path / "kept" / "data").rglob("*") if f.is_file() and b"PRIVATE KEY" in f.read_bytes()
    ]
    assert [stat.S_IMODE(file.stat().st_mode) for file in keys] == [0o600]
    assert gateway.terminate() == 0
    again: Gateway = new_gateway(folder=tmp_path / "kept")
    assert await asyncio.to_thread(ssl.get_server_certificate, again.https) == pem


async def test_a_room_over_tls_works_as_over_plain_tcp(gateway: Gateway) -> None:
    async with Room(gateway, tls=True) as room:
        ada, ben = await room.join("Ada"), await room.join("Ben")
        ada.send(*[append(n, f"{n}" + "x" * 30_000) for n in range(50)], note("end"))
        await ben.got(b"end")
        await ben.cut()
        ada.send(*[note(f"{n}" + "y" * 30_000) for n in range(20)])
        await ada.committed()
        await ben.join()
        assert ben.catch_ups[-1] == "tail"
        late = await room.join("Late")
        assert late.retained.held() == ben.retained.held() == ada.retained.held()


async def test_sighup_reloads_the_certificate_and_keeps_connections(
    new_gateway, tmp_path: Path
) -> None:
    make_certificate(tmp_path, "first.example")
    gateway: Gateway = new_gateway(
        "--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")
    )
    first = await asyncio.to_thread(ssl.get_server_certificate, gateway.https)
    assert first.split() == (tmp_path / "cert.pem").read_text().split()
    async with Room(gateway, tls=True) as room:
        ada = await room.join("Ada")
        make_certificate(tmp_path, "second.example")
        gateway.process.send_signal(signal.SIGHUP)

        async def is_new() -> bool:
            now = await asyncio.to_thread(ssl.get_server_certificate, gateway.https)
            return now.split() == (tmp_path / "cert.pem").read_text().split()

        await until(is_new, "the new certificate is served")
        (tmp_path / "cert.pem").write_text("no certificate")
        gateway.process.send_signal(signal.SIGHUP)
        ada.send(note("still here"))
        await ada.got(b"still here")
        (await room.join("Ben")).send(note("and taking more"))
        await ada.got(b"and taking more")


@pytest.mark.parametrize("broken", ["missing", "rubbish", "another key"])
async def test_an_unusable_certificate_is_a_bad_setting(
    executable: str, tmp_path: Path, broken: str
) -> None:
    make_certificate(tmp_path, "first.example")
    if broken == "missing":
        (tmp_path / "cert.pem").unlink()
    elif broken == "rubbish":
        (tmp_path / "cert.pem").write_text("no certificate")
    else:
        certificate = (tmp_path / "cert.pem").read_bytes()
        make_certificate(tmp_path, "other.example")
        (tmp_path / "cert.pem").write_bytes(certificate)
    arguments = ["--tls-cert", str(tmp_path / "cert.pem"), "--tls-key", str(tmp_path / "key.pem")]
    arguments += ["--data", str(tmp_path / "data"), "--public", str(REPOSITORY / "Public")]
    done = await asyncio.to_thread(
        subprocess.run, [executable, "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", *arguments],
        capture_output=True, text=True, timeout=20,
        env={k: v for k, v in os.environ.items() if not k.startswith("DRAWTOGETHER_")},
    )  # fmt: skip
    assert done.returncode == 2, done
    assert "tls-cert" in done.stderr or "tls-key" in done.stderr


async def test_requests_in_the_same_write_as_close_notify_are_answered(gateway_with) -> None:
    """A client that ends its direction in the same write as its requests, by close_notify, gets all responses."""
    gateway: Gateway = gateway_with("--reactors", "1")
    count = 1_500
    requests = f"GET /healthz HTTP/1.1\r\nHost: {gateway.host}\r\n\r\n".encode() * count

    def everything(connected: socket.socket) -> bytes:
        content = bytearray()
        while piece := connected.recv(1 << 16):
            content += piece
        return bytes(content)

    def plain() -> bytes:
        with socket.create_connection(gateway.http, timeout=20) as connected:
            connected.sendall(requests)
            connected.shutdown(socket.SHUT_WR)
            return everything(connected)

    def secure() -> bytes:
        with socket.create_connection(gateway.https, timeout=20) as connected:
            incoming, outgoing = ssl.MemoryBIO(), ssl.MemoryBIO()
            peer = trusting().wrap_bio(incoming, outgoing, server_hostname="localhost")
            while True:
                try:
                    peer.do_handshake()
                    break
                except ssl.SSLWantReadError:
                    connected.sendall(outgoing.read())
                    incoming.write(connected.recv(1 << 16))
            connected.sendall(outgoing.read())
            peer.write(requests)
            with pytest.raises(ssl.SSLError):
                peer.unwrap()  # waits for the peer's close_notify, which comes later
            connected.sendall(outgoing.read())
            return everything(connected)

    answers, records = await asyncio.to_thread(plain), await asyncio.to_thread(secure)
    assert answers.count(b"HTTP/1.1 200 OK") == count
    # Python stops reading after its own close_notify; the records are longer than their content.
    assert len(records) > len(answers) * 0.98, (len(records), len(answers))

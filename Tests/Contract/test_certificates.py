"""Replacing the certificate of a running gateway, without an effect on connected participants."""

from __future__ import annotations

import asyncio
import os
import socket
import ssl
import time
from pathlib import Path

import pytest

from certificates import make_certificate
from gateway import Gateway, has_sanitizer
from http1 import request_bytes
from polling import PATIENCE, until
from rawsocket import BINARY, TEXT, frame, upgrade_fields
from room import note, numbered

SOCKETS = 200 if has_sanitizer() else 1_000
SESSIONS = 10


async def served(gateway: Gateway) -> str:
    return (await asyncio.to_thread(ssl.get_server_certificate, gateway.https)).strip()


async def is_served(gateway: Gateway, file: Path) -> bool:
    return await served(gateway) == file.read_text().strip()


def settings(folder: Path) -> list[str]:
    return ["--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")]


class Listener:
    """A participant over TLS that only receives. Blocking, because that is cheaper than asyncio."""

    def __init__(self, gateway: Gateway, hello: bytes) -> None:
        plain = socket.create_connection(gateway.https, timeout=PATIENCE)
        self.socket = gateway.tls.wrap_socket(plain, server_hostname="localhost")
        self.certificate = ssl.DER_cert_to_PEM_cert(self.socket.getpeercert(binary_form=True)).strip()
        self.socket.sendall(hello)

    def hear(self, words: bytes) -> None:
        """Waits for these bytes, and drops the bytes before them."""
        came = b""
        while words not in came:
            piece = self.socket.recv(1 << 16)
            assert piece, f"cut, after {came[-200:]!r}"
            came += piece

    def say(self, words: bytes) -> None:
        self.socket.sendall(frame(BINARY, numbered(note(words))))


@pytest.mark.seconds(180)
async def test_a_thousand_connections_survive_a_new_certificate_and_later_ones_get_it(
    new_gateway, tmp_path: Path
) -> None:
    make_certificate(tmp_path / "kept", "first.example")
    gateway: Gateway = new_gateway(*settings(tmp_path / "kept"))
    first = await served(gateway)
    sessions: list[list[Listener]] = []
    for _ in range(SESSIONS):
        target = f"/api/sessions/{await gateway.create_session()}/socket"
        hello = request_bytes("GET", target, gateway.host, upgrade_fields()) + frame(TEXT, b'{"join": {}}')
        sessions.append([Listener(gateway, hello) for _ in range(SOCKETS // SESSIONS)])
    everyone = [one for session in sessions for one in session]
    for one in everyone:
        one.hear(b'"caughtUp"')

    # The gateway notices a little later that the probe of `served` or `is_served` has closed its connection.
    async def has_only_listeners() -> bool:
        return (await gateway.metrics())['drawtogether_sockets{kind="tls"}'] == SOCKETS

    await until(has_only_listeners, "the probe is closed")

    make_certificate(tmp_path / "new", "second.example")
    for name in ("key.pem", "cert.pem"):
        os.replace(tmp_path / "new" / name, tmp_path / "kept" / name)
    await until(lambda: is_served(gateway, tmp_path / "kept" / "cert.pem"), "the new one is served")

    for session in sessions:
        session[0].say(b"after the new one")
    for one in everyone:
        one.hear(b"after the new one")
    assert {one.certificate for one in everyone} == {first}
    await until(has_only_listeners, "the probes are closed")
    metrics = await gateway.metrics()
    assert abs(metrics["drawtogether_tls_certificate_not_after_seconds"] - time.time() - 90 * 86_400) < 600
    await until(lambda: '"certificate reloaded"' in gateway.log, "the log says it")
    assert "second.example" in gateway.log
    for one in everyone:
        one.socket.close()


async def test_symbolic_links_of_kubernetes_and_certbot_are_followed(
    new_gateway, tmp_path: Path
) -> None:
    for name in ("first.example", "second.example"):
        make_certificate(tmp_path / name, name)
    mounted = tmp_path / "mounted"
    mounted.mkdir()
    (mounted / "..data").symlink_to(tmp_path / "first.example")
    for name in ("cert.pem", "key.pem"):
        (mounted / name).symlink_to(Path("..data") / name)
    gateway: Gateway = new_gateway(*settings(mounted))
    assert await is_served(gateway, tmp_path / "first.example" / "cert.pem")
    (mounted / "..data_tmp").symlink_to(tmp_path / "second.example")
    os.replace(mounted / "..data_tmp", mounted / "..data")
    await until(lambda: is_served(gateway, tmp_path / "second.example" / "cert.pem"), "the new one is served")

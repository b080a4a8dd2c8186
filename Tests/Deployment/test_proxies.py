"""The configurations in the guide *Behind a proxy*, with Debian's proxies: pages, sockets, uploads, addresses of clients."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import re
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest
from tusclient.client import TusClient

from client import Client
from gateway import REPOSITORY, Gateway
from http1 import HTTPConnection, Response, request_bytes
from lasting import LastingGateway
from polling import until
from proxies import Certificate, FrontProxy, free_port, gateway_flags
from rawsocket import BINARY, PING, PONG, RawSocket, frame
from room import append, note, numbered

KINDS = ["nginx", "haproxy", "caddy"]
HUNDRED_MB = 104_857_600
ADA, BEN = "127.0.0.7", "127.0.0.8"


class Front:
    """A gateway behind a proxy, both as in the guide. Requests go to the proxy over TLS."""

    def __init__(self, gateway: Gateway, proxy: FrontProxy) -> None:
        self.gateway, self.proxy = gateway, proxy
        self.tls = proxy.certificate.trusting()
        self.url, self.host = proxy.url, f"localhost:{proxy.port}"

    async def connect(self, tls: bool = True, source: str = "127.0.0.1") -> HTTPConnection:
        reader, writer = await asyncio.open_connection(
            "127.0.0.1", self.proxy.port, ssl=self.tls, server_hostname="localhost", limit=1 << 22,
            local_addr=(source, 0),
        )  # fmt: skip
        return HTTPConnection(reader, writer)

    async def ask(
        self, method: str, target: str, body: bytes | None = None, source: str = "127.0.0.1", **fields: str
    ) -> Response:
        async with await self.connect(source=source) as connection:
            named = {name.replace("_", "-"): value for name, value in fields.items()}
            await connection.send(request_bytes(method, target, self.host, named, body))
            return await connection.receive(head=method == "HEAD")

    async def create_session(self, source: str = "127.0.0.1", **fields: str) -> dict[str, object]:
        answer = await self.ask("POST", "/api/sessions", b"", source, **fields)
        assert answer.status == 201, (answer, answer.body)
        assert answer["location"] == f"/api/sessions/{answer.json()['id']}"
        return answer.json()

    def client(self, session: object, source: str = "127.0.0.1") -> Client:
        """Returns a client of the proxy with the fields of a browser."""
        url = f"wss://localhost:{self.proxy.port}/api/sessions/{session}/socket"
        return Client(url, tls=self.tls, origin=self.url, host="127.0.0.1", local_addr=(source, 0))


def started(
    kind: str, executable: str, folder: Path, certificate: Certificate, *more: str, **limits: int
) -> Front:
    port = free_port()
    flags = gateway_flags(f"https://localhost:{port}")
    gateway = LastingGateway(executable, folder / "gateway", *flags, *more, **limits)
    proxy = FrontProxy(kind, port, gateway.http, certificate, folder / kind)
    proxy.start()
    return Front(gateway, proxy)


@pytest.fixture(scope="session")
def certificate(tmp_path_factory: pytest.TempPathFactory) -> Certificate:
    return Certificate(tmp_path_factory.mktemp("certificate"))


@pytest.fixture(scope="module", params=KINDS)
def front(
    request: pytest.FixtureRequest,
    executable: str,
    certificate: Certificate,
    tmp_path_factory: pytest.TempPathFactory,
) -> Iterator[Front]:
    folder = tmp_path_factory.mktemp(request.param)
    front = started(request.param, executable, folder, certificate)
    yield front
    front.proxy.stop()
    front.gateway.stop()


async def test_a_proxy_serves_the_page_and_all_its_files(front: Front) -> None:
    page = await front.ask("GET", "/", Accept_Encoding="gzip")
    assert page.status == 200 and b"<html" in page.unzipped()
    for field in ("content-security-policy", "cross-origin-opener-policy", "etag"):
        assert page.all(field), f"{field} did not come through"
    again = await front.ask("GET", "/", Accept_Encoding="gzip", If_None_Match=page["etag"])
    assert again.status == 304, again
    public = REPOSITORY / "Public"
    files = [f"/{path.relative_to(public)}" for path in sorted(public.rglob("*")) if path.suffix in {".js", ".css"}]
    assert len(files) > 20, files
    async with await front.connect() as connection:
        for path in files:
            await connection.send(request_bytes("GET", path, front.host, {"Accept-Encoding": "gzip"}))
            got = await connection.receive()
            assert got.status == 200, path
            own = await front.gateway.request("GET", path, {"Host": front.host, "Accept-Encoding": "gzip"})
            assert got.body == own.body, f"{path} changed on its way"


async def test_a_restart_of_the_proxy_loses_no_entries(front: Front) -> None:
    session = await front.create_session(Origin=front.url)
    assert session["link"] == f"{front.url}/s/{session['id']}"
    async with front.client(session["id"], ADA) as ada, front.client(session["id"], BEN) as ben:
        await ada.join(name="Ada")
        await ben.join(name="Ben")
        for number in range(20):
            ada.send(append(number, f"ada {number}"))
            ben.send(append(100 + number, f"ben {number}"))
        await ada.got(*[b"ben %d" % number for number in range(20)])
        await ben.got(*[b"ada %d" % number for number in range(20)])
        for address in (ADA, BEN):
            told = f'"remote":"{address}"'
            await until(lambda told=told: told in front.gateway.log, f"{address} is taken for theirs")

        front.proxy.stop()
        await ada.wait_for(lambda: ada.close, "Ada's socket breaks")
        await ben.wait_for(lambda: ben.close, "Ben's socket breaks")
        ada.send(note("drawn meanwhile"))
        front.proxy.start()
        await ben.join()
        await ada.join()
        await ben.got(b"drawn meanwhile")
        assert ada.joined["resumed"] and ben.joined["resumed"]
        assert ada.catch_ups[-1] == ben.catch_ups[-1] == "tail"
        await ada.committed()
        assert ada.retained.held() == ben.retained.held()


async def test_no_log_of_a_proxy_has_the_id_of_a_session(
    executable: str, certificate: Certificate, tmp_path: Path
) -> None:
    for kind in KINDS:
        front = started(kind, executable, tmp_path / kind, certificate)
        try:
            id = str((await front.create_session(Origin=front.url))["id"])
            session = f"/api/sessions/{id}"
            async with front.client(id, ADA) as ada:
                await ada.join(name="Ada")
                referring = {"Referer": f"{front.url}/s/{id}"}
                for path in (f"/s/{id}", f"/%73/{id}", session, f"{session}/attachments", "/js/app/app.js"):
                    await front.ask("GET", path, **referring)
                # An unparsable request is logged as an error.
                async with await front.connect() as connection:
                    await connection.send(f"GET {session} HTTP/1.1\r\nHost: a b\r\nX\x01: y\r\n\r\n".encode())
                    await connection.ends()
            await asyncio.to_thread(front.gateway.stop)
            for path in (f"/s/{id}", session):
                assert (await front.ask("GET", path, **referring)).status in (502, 503)

            def lines(status: str) -> int:
                return sum(bool(re.search(rf"\b{status}\b", line)) for line in front.proxy.logs.splitlines())

            # Proves that the proxy logs at all: the refused requests, and the accepted ones before.
            await until(lambda: lines("50[23]") >= 2 and lines("20[01]") >= 4, f"{kind} has logged the requests")
        finally:
            front.proxy.stop()
            front.gateway.stop()
        found = [line for line in front.proxy.logs.splitlines() if id in line]
        assert not found, (kind, found)


async def test_forwarded_fields_of_clients_are_not_passed_on(
    executable: str, certificate: Certificate, tmp_path: Path
) -> None:
    claims = [
        {"X_Forwarded_For": "198.51.100.1", "X_Forwarded_Proto": "http", "X_Forwarded_Host": "evil.example"},
        {"X_Forwarded_For": '198.51.100.2, "'},
        {"Forwarded": "for=198.51.100.3;proto=http;host=evil.example"},
        {"Forwarded": 'for=198.51.100.4;x="'},
        {"X_Forwarded_For": "198.51.100.5", "Forwarded": "for=198.51.100.5"},
        {},
    ]
    for kind in KINDS:
        front = started(
            kind, executable, tmp_path / kind, certificate, "--hsts", "--redirect-to-https",
            sessionsPerAddressPerMinute=len(claims),
        )  # fmt: skip
        try:
            for claim in claims:
                await front.create_session(ADA, Origin=front.url, **claim)
                page = await front.ask("GET", "/", source=ADA, **claim)
                # With a redirect to https the request would return for ever.
                assert page.status == 200 and page.all("strict-transport-security"), (kind, claim, page)
            refused = await front.ask("POST", "/api/sessions", b"", ADA, X_Forwarded_For="198.51.100.9")
            assert refused.problem(429, "too-many")["limit"] == len(claims), kind
            await front.create_session(BEN)
            foreign = await front.ask("POST", "/api/sessions", b"", BEN, Origin="https://evil.example")
            foreign.problem(403, "origin-refused")
            elsewhere = await front.ask("GET", "/api/limits", Host="evil.example")
            # Caddy does not serve this site, and answers itself.
            assert elsewhere.status == 421 or (kind == "caddy" and not elsewhere.body), (
                kind,
                elsewhere.status,
            )
            async with front.client((await front.create_session(BEN))["id"], ADA) as ada:
                await ada.join(name="Ada")
            assert "198.51.100" not in front.gateway.log, kind
        finally:
            front.proxy.stop()
            front.gateway.stop()


@pytest.fixture(scope="module")
def large(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A file of the maximum size of an attachment."""
    file = tmp_path_factory.mktemp("large") / "large.bin"
    block = os.urandom(1 << 20)
    with open(file, "wb") as out:
        for number in range(HUNDRED_MB >> 20):
            out.write(number.to_bytes(4, "big") + block[4:])
    yield file
    file.unlink()


def digest(file: Path) -> str:
    with open(file, "rb") as opened:
        return hashlib.file_digest(opened, "sha256").hexdigest()


async def curl(front: Front, *arguments: str) -> bytes:
    process = await asyncio.create_subprocess_exec(
        "curl", "--silent", "--show-error", "--fail-with-body", "--cacert", str(front.proxy.certificate.chain),
        *arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
    )  # fmt: skip
    out, said = await process.communicate()
    assert process.returncode == 0, (arguments, said, out[:500], front.proxy.log)
    return out


async def test_a_hundred_megabytes_are_uploaded_and_downloaded(
    front: Front, large: Path, tmp_path: Path
) -> None:
    session = await front.create_session()
    url = f"{front.url}/api/sessions/{session['id']}/attachments"
    fields = [
        "-H",
        "Content-Type: application/zip",
        "-H",
        'Content-Disposition: attachment; filename="large.zip"',
    ]
    attachment = json.loads(await curl(front, "-X", "POST", "-T", str(large), *fields, url))
    assert (attachment["size"], attachment["state"]) == (HUNDRED_MB, "ready")
    assert attachment["sha256"] == digest(large)
    await curl(front, "-o", str(tmp_path / "back"), f"{url}/{attachment['id']}")
    assert digest(tmp_path / "back") == attachment["sha256"]
    (tmp_path / "back").unlink()
    part = await curl(front, "-r", "1048576-1048583", f"{url}/{attachment['id']}")
    assert part[:4] == (1).to_bytes(4, "big") and len(part) == 8


async def test_a_proxy_does_not_buffer_uploads(front: Front) -> None:
    """A proxy that buffers the upload would hide its progress."""
    session = await front.create_session()
    path = f"/api/sessions/{session['id']}/attachments"
    half = os.urandom(1 << 20)
    async with await front.connect() as connection:
        fields = {"Content-Length": str(2 * len(half)), "Content-Type": "application/zip"}
        await connection.send(request_bytes("POST", path, front.host, fields) + half)

        async def has_begun() -> bool:
            listed = (await front.gateway.request("GET", path, {"Host": front.host})).json()["attachments"]
            return any(one["offset"] > 0 for one in listed)

        await until(has_begun, "the gateway has something of the first half")
        await connection.send(half)
        assert (await connection.receive()).status == 201


async def test_too_large_uploads_are_refused_by_the_gateway(front: Front) -> None:
    session = await front.create_session()
    async with await front.connect() as connection:
        fields = {"Content-Length": str(HUNDRED_MB + 1), "Expect": "100-continue"}
        path = f"/api/sessions/{session['id']}/attachments"
        await connection.send(request_bytes("POST", path, front.host, fields))
        refused = await connection.receive()
        assert refused.problem(413, "attachment-too-large")["limit"] == HUNDRED_MB


async def test_a_tus_upload_survives_a_restart_of_the_proxy(
    front: Front, large: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("REQUESTS_CA_BUNDLE", str(front.proxy.certificate.chain))
    session = await front.create_session()
    url = f"{front.url}/api/sessions/{session['id']}/attachments"
    client = TusClient(url)
    uploader = client.uploader(str(large), chunk_size=32 << 20, metadata={"filename": "large.zip"})
    await asyncio.to_thread(uploader.upload_chunk)
    front.proxy.stop()
    front.proxy.start()
    resumed = client.uploader(str(large), url=uploader.url, chunk_size=HUNDRED_MB)
    assert resumed.offset == 32 << 20
    await asyncio.to_thread(resumed.upload)
    assert uploader.url.startswith(url + "/"), uploader.url
    (listed,) = json.loads(await curl(front, url))["attachments"]
    assert (listed["state"], listed["sha256"]) == ("ready", digest(large)), listed


@pytest.mark.long
@pytest.mark.seconds(180)
async def test_silent_sockets_outlive_the_proxies_timeouts(
    executable: str, certificate: Certificate, tmp_path: Path
) -> None:
    async def idle(kind: str) -> None:
        front = started(kind, executable, tmp_path / kind, certificate)
        try:
            session = (await front.create_session())["id"]
            connection = await front.connect()
            response = await RawSocket.ask(connection, front, session, Origin=front.url)  # type: ignore[arg-type]
            assert response.status == 101, (kind, response)
            async with RawSocket(connection, response) as socket:
                await socket.join()
                # More than a minute, the timeout of most proxies.
                for _ in range(4):
                    async with asyncio.timeout(40):
                        ping = await socket.receive_until(PING)
                    await socket.send(frame(PONG, ping.payload))
                await socket.send(frame(BINARY, numbered(note("still here"))))
                async with asyncio.timeout(20):
                    while b"still here" not in (await socket.receive_until(BINARY)).payload:
                        pass
        finally:
            front.proxy.stop()
            front.gateway.stop()

    await asyncio.gather(*[idle(kind) for kind in KINDS])


@pytest.mark.long
@pytest.mark.parametrize("kind", ["nginx", "haproxy"])
def test_two_browsers_draw(kind: str, executable: str, certificate: Certificate, tmp_path: Path) -> None:
    front = started(kind, executable, tmp_path, certificate)
    try:
        ran = subprocess.run(
            [str(REPOSITORY / "Tests/Browser/run"), "test_elsewhere.py", "-m", "not firefox"],
            env=os.environ | {"DRAWTOGETHER_URL": front.url}, capture_output=True, text=True, timeout=300, check=False,
        )  # fmt: skip
        assert ran.returncode == 0, f"{ran.stdout[-4000:]}\n{ran.stderr[-2000:]}\n{front.proxy.log}"
        assert re.search(r"[1-9]\d* passed", ran.stdout), ran.stdout[-2000:]
    finally:
        front.proxy.stop()
        front.gateway.stop()

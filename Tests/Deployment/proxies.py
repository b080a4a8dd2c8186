"""Proxies in front of a gateway, each configured with the lines in the guide *Behind a proxy*."""

from __future__ import annotations

import os
import random
import re
import signal
import socket
import ssl
import subprocess
import time
from dataclasses import dataclass
from pathlib import Path

from gateway import REPOSITORY

GUIDE = REPOSITORY / "Sources/Commands/drawtogether/drawtogether.docc/BehindAProxy.md"
START_SECONDS = 20.0

FRAMES = {
    "nginx": """
daemon off;
pid {folder}/pid;
error_log {folder}/log info;
user root;
events {{ worker_connections 1024; }}
http {{
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  {snippet}
}}
""",
    "haproxy": """
global
  log stdout format raw local0
{snippet}
""",
    "caddy": "{snippet}\n",
}
"""The configuration around the lines of the guide, on a machine with no other sites."""


CADDY_OPTIONS = """\
  admin off
  auto_https disable_redirects
  skip_install_trust
  storage file_system {folder}/storage
"""
"""Additional options for the block in the guide, because there may be only one."""


def snippet(kind: str) -> str:
    """Returns the lines in the guide for a proxy."""
    found = re.findall(rf"^```{kind}\n(.*?)^```$", GUIDE.read_text(), re.M | re.S)
    assert len(found) == 1, f"{GUIDE.name} has {len(found)} blocks of {kind}"
    return found[0]


def gateway_flags(address: str) -> list[str]:
    """Returns the gateway's flags in the guide, with the proxy's address instead of the example."""
    commands = re.findall(r"^drawtogether (--http 127.0.0.1:8080 .*)$", GUIDE.read_text(), re.M)
    assert len(commands) == 1, f"{GUIDE.name} has {len(commands)} commands for a gateway"
    flags = commands[0].replace("https://draw.example", address).split()
    # The fixture chooses the plain port; the other flags are unchanged.
    assert flags[:2] == ["--http", "127.0.0.1:8080"], flags
    return flags[2:]


def free_port() -> int:
    """Returns a port without a listener, which the kernel assigns to no other socket."""
    for _ in range(1000):
        port = random.randrange(20_000, 32_000)
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", port))
            except OSError:
                continue
            return port
    raise AssertionError("no free port from 20000 to 32000")


@dataclass
class Certificate:
    """A certificate for localhost and 127.0.0.1, created with openssl."""

    folder: Path

    @property
    def chain(self) -> Path:
        return self.folder / "chain.pem"

    @property
    def key(self) -> Path:
        return self.folder / "key.pem"

    @property
    def both(self) -> Path:
        return self.folder / "both.pem"

    def __post_init__(self) -> None:
        subprocess.run(
            [
                "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes",
                "-days", "30", "-subj", "/CN=localhost", "-addext", "subjectAltName=DNS:localhost,IP:127.0.0.1",
                "-keyout", str(self.key), "-out", str(self.chain),
            ],
            check=True, capture_output=True,
        )  # fmt: skip
        self.both.write_bytes(self.chain.read_bytes() + self.key.read_bytes())

    def trusting(self) -> ssl.SSLContext:
        return ssl.create_default_context(cafile=str(self.chain))


class FrontProxy:
    """nginx, HAProxy or Caddy on its own port, forwarding to a gateway's plain port."""

    def __init__(
        self, kind: str, port: int, gateway: tuple[str, int], certificate: Certificate, folder: Path
    ) -> None:
        self.kind, self.port, self.folder, self.certificate = kind, port, folder, certificate
        folder.mkdir(parents=True, exist_ok=True)
        self.config = folder / "config"
        self.config.write_text(self._filled(snippet(kind), gateway))
        self.process: subprocess.Popen[bytes] | None = None

    @property
    def url(self) -> str:
        return f"https://localhost:{self.port}"

    @property
    def log(self) -> str:
        texts = [
            file.read_text(errors="replace")
            for file in (self.folder / "output", self.folder / "log")
            if file.exists()
        ]
        return "\n".join(texts)[-3000:]

    @property
    def logs(self) -> str:
        """Returns the text of all its logs."""
        files = [file for file in self.folder.iterdir() if file.is_file() and file != self.config]
        return "\n".join(file.read_text(errors="replace") for file in files)

    def _filled(self, lines: str, gateway: tuple[str, int]) -> str:
        """Returns the lines of the guide with the ports, the host and the certificate of this test. Each placeholder
        must occur."""
        host, port = gateway
        chain, key, both = self.certificate.chain, self.certificate.key, self.certificate.both
        changes = {
            "nginx": [
                ("listen 443 ", f"listen {self.port} "), ("draw.example;", "localhost;"),
                ("/etc/ssl/draw.example.crt", str(chain)), ("/etc/ssl/draw.example.key", str(key)),
                ("/var/log/nginx/draw.log", f"{self.folder}/access.log"),
                ("/var/log/nginx/draw.error.log", f"{self.folder}/error.log"),
            ],
            "haproxy": [("bind :443 ", f"bind :{self.port} "), ("/etc/ssl/draw.example.pem", str(both))],
            "caddy": [
                ("draw.example {", f"localhost:{self.port} {{\n  tls {chain} {key}"),
                ("{\n  log {", "{\n" + CADDY_OPTIONS.format(folder=self.folder) + "  log {"),
            ],
        }[self.kind]  # fmt: skip
        for old, new in [*changes, ("127.0.0.1:8080", f"{host}:{port}")]:
            assert lines.count(old) == 1, (
                f"The guide's lines for {self.kind} have {old!r} {lines.count(old)} times"
            )
            lines = lines.replace(old, new)
        return FRAMES[self.kind].format(folder=self.folder, snippet=lines)

    def start(self) -> None:
        """Starts the proxy and waits until it accepts connections."""
        command = {
            "nginx": [
                "nginx",
                "-p",
                str(self.folder),
                "-e",
                str(self.folder / "log"),
                "-c",
                str(self.config),
            ],
            "haproxy": ["haproxy", "-db", "-f", str(self.config)],
            "caddy": ["caddy", "run", "--adapter", "caddyfile", "--config", str(self.config)],
        }[self.kind]
        environment = os.environ | {"HOME": str(self.folder), "XDG_DATA_HOME": str(self.folder)}
        with open(self.folder / "output", "ab") as output:
            self.process = subprocess.Popen(command, stdout=output, stderr=output, env=environment)
        deadline = time.monotonic() + START_SECONDS
        while True:
            with socket.socket() as probe:
                if probe.connect_ex(("127.0.0.1", self.port)) == 0:
                    return
            assert self.process.poll() is None, (
                f"{self.kind} ended with {self.process.returncode}: {self.log}"
            )
            assert time.monotonic() < deadline, f"{self.kind} does not listen: {self.log}"
            time.sleep(0.005)

    def stop(self) -> None:
        """Kills the proxy and its connections."""
        if self.process is None or self.process.poll() is not None:
            return
        self.process.send_signal(signal.SIGTERM)
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()

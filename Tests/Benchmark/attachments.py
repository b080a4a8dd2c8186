#!/usr/bin/env python3
"""Uploads and downloads one file through the gateway and through nginx in turn, and prints the costs.

    Tests/Benchmark/attachments.py [--rounds 7] [--mebibytes 100] GATEWAY_BINARY

Needs nginx with its DAV module (Debian: nginx-light) and curl. Both servers get the same bytes from the same client with the
same certificate, one after the other in each round, so that other load on the machine affects both. Wall time is curl's, CPU
time is that of all processes of the server. The gateway computes a hash of an upload; nginx does not.
"""

import argparse
import hashlib
import json
import os
import signal
import socket
import statistics
import subprocess
import tempfile
import urllib.request
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
TICKS = os.sysconf("SC_CLK_TCK")


def free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return probe.getsockname()[1]


def cpu_seconds(process: int) -> float:
    """User and system time of a process, its threads and its children that live."""
    stat = Path(f"/proc/{process}/stat").read_text().rsplit(")", 1)[1].split()
    total = (int(stat[11]) + int(stat[12])) / TICKS
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    return total + sum(cpu_seconds(int(child)) for child in children)


class Nginx:
    name = "nginx"

    def __init__(self, folder: Path, certificate: Path, key: Path):
        self.files = folder / "files"
        self.files.mkdir(parents=True)
        (folder / "body").mkdir()
        os.chmod(folder, 0o777)
        os.chmod(self.files, 0o777)
        os.chmod(folder / "body", 0o777)
        plain, secure = free_port(), free_port()
        self.addresses = {"http": f"http://127.0.0.1:{plain}", "https": f"https://127.0.0.1:{secure}"}
        configuration = folder / "nginx.conf"
        configuration.write_text(f"""
            daemon off; worker_processes 1; pid {folder}/pid; error_log {folder}/error.log;
            events {{ worker_connections 512; }}
            http {{
              access_log off; sendfile on; tcp_nopush on; client_max_body_size 200m;
              client_body_temp_path {folder}/body;
              ssl_certificate {certificate}; ssl_certificate_key {key}; ssl_protocols TLSv1.3;
              server {{
                listen 127.0.0.1:{plain}; listen 127.0.0.1:{secure} ssl;
                root {self.files}; dav_methods PUT DELETE;
              }}
            }}""")
        self.process = subprocess.Popen(["/usr/sbin/nginx", "-c", configuration], stderr=subprocess.DEVNULL)
        wait_for_port(plain)

    def upload(self, scheme: str, file: Path) -> tuple[list[str], str]:
        address = f"{self.addresses[scheme]}/uploaded"
        return ["-T", str(file), address], address

    def remove(self, address: str) -> None:
        subprocess.run(["curl", "-sfk", "-o", "/dev/null", "-X", "DELETE", address], check=True)


class Gateway:
    name = "gateway"

    def __init__(self, folder: Path, certificate: Path, key: Path, binary: Path):
        folder.mkdir()
        self.process = subprocess.Popen(
            [binary, "--http", "127.0.0.1:0", "--https", "127.0.0.1:0", "--data", folder / "data",
             "--public", REPOSITORY / "Public", "--tls-cert", certificate, "--tls-key", key, "--log-format", "json"],
            stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
        ready = json.loads(self.process.stdout.readline())
        self.addresses = {"http": ready["http"], "https": ready["https"]}
        request = urllib.request.Request(f"{ready['http']}/api/sessions", method="POST")
        with urllib.request.urlopen(request) as answer:
            self.session = json.load(answer)["id"]

    def upload(self, scheme: str, file: Path) -> tuple[list[str], str]:
        identifier = str(__import__("uuid").uuid4()).upper()
        address = f"{self.addresses[scheme]}/api/sessions/{self.session}/attachments"
        return ["-X", "POST", "-H", f"Attachment-Id: {identifier}", "-T", str(file), address], f"{address}/{identifier}"

    def remove(self, address: str) -> None:
        subprocess.run(["curl", "-sfk", "-o", "/dev/null", "-X", "DELETE", address], check=True)


def wait_for_port(port: int) -> None:
    while True:
        with socket.socket() as probe:
            if probe.connect_ex(("127.0.0.1", port)) == 0:
                return


def curl(arguments: list[str]) -> float:
    done = subprocess.run(
        ["curl", "-sfk", "-o", "/dev/null", "-w", "%{time_total}", *arguments], check=True, capture_output=True, text=True)
    return float(done.stdout)


def main() -> None:
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("binary", type=Path)
    options.add_argument("--rounds", type=int, default=7)
    options.add_argument("--mebibytes", type=int, default=100)
    given = options.parse_args()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        os.chmod(folder, 0o755)
        file = folder / "file"
        file.write_bytes(os.urandom(given.mebibytes << 20))
        digest = hashlib.sha256(file.read_bytes()).hexdigest()
        certificate, key = folder / "certificate.pem", folder / "key.pem"
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj", "/CN=localhost",
             "-keyout", key, "-out", certificate], check=True, stderr=subprocess.DEVNULL)
        os.chmod(key, 0o644)
        servers = [Nginx(folder / "nginx", certificate, key), Gateway(folder / "gateway", certificate, key, given.binary)]
        try:
            measure(servers, file, digest, given)
        finally:
            for server in servers:
                server.process.send_signal(signal.SIGTERM)
                server.process.wait()


def measure(servers, file: Path, digest: str, given) -> None:
    walls: dict[tuple[str, str, str], list[float]] = {}
    cpus: dict[tuple[str, str, str], list[float]] = {}
    for number in range(given.rounds + 1):
        for scheme in ("http", "https"):
            for server in servers if number % 2 else reversed(servers):
                arguments, address = server.upload(scheme, file)
                for direction, command in (("upload", arguments), ("download", [address])):
                    before = cpu_seconds(server.process.pid)
                    wall = curl(command)
                    spent = cpu_seconds(server.process.pid) - before
                    if number:  # the first round warms up
                        walls.setdefault((direction, scheme, server.name), []).append(wall)
                        cpus.setdefault((direction, scheme, server.name), []).append(spent)
                if number == 0:
                    body = subprocess.run(["curl", "-sfk", address], check=True, capture_output=True).stdout
                    assert hashlib.sha256(body).hexdigest() == digest, f"{server.name} gave other bytes back"
                server.remove(address)
    print(f"{given.mebibytes} MiB, medians of {given.rounds} interleaved rounds; throughput and CPU relative to nginx")
    print(f"{'':20}{'nginx':>18}{'gateway':>18}{'throughput':>12}{'CPU':>8}")
    for direction in ("download", "upload"):
        for scheme in ("http", "https"):
            nginx, gateway = (
                [statistics.median(of[(direction, scheme, name)]) for of in (walls, cpus)] for name in ("nginx", "gateway"))
            print(
                f"{direction + ' ' + scheme:20}"
                + "".join(f"{wall * 1000:8.0f} ms {cpu * 1000:3.0f} cpu" for wall, cpu in (nginx, gateway))
                + f"{nginx[0] / gateway[0]:12.2f}{gateway[1] / max(nginx[1], 1 / TICKS):8.2f}")


main()

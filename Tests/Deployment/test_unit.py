"""The systemd unit: systemd accepts it and rates its exposure as low, and the gateway accepts its settings."""

from __future__ import annotations

import asyncio
import contextlib
import ctypes
import json
import os
import re
import shutil
import socket
import subprocess
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from command import environment
from deployed import DEPLOY, STOP_SECONDS, settings, size
from gateway import REPOSITORY
from polling import until

UNIT = (DEPLOY / "drawtogether.service").read_text()
ADDITIONS = DEPLOY / "drawtogether.service.d"
HOOK = DEPLOY / "certificate-hook"
# Unused ids, for a service without its own user.
USER, GROUP = 64_001, 64_002


@pytest.fixture
def unit(executable: str, tmp_path: Path) -> Path:
    """Returns the unit with an existing program; everything else is unchanged."""
    path = tmp_path / "drawtogether.service"
    path.write_text(UNIT.replace("ExecStart=/usr/local/bin/drawtogether\n", f"ExecStart={executable}\n"))
    assert executable in path.read_text()
    return path


def analyze(*words: str | Path) -> subprocess.CompletedProcess[str]:
    return subprocess.run(["systemd-analyze", *words], capture_output=True, text=True, check=False)


def test_systemd_accepts_the_unit(unit: Path) -> None:
    done = analyze("verify", "--recursive-errors=no", unit)
    assert done.returncode == 0 and not done.stdout + done.stderr, done


def test_systemd_rates_the_exposure_as_low(unit: Path) -> None:
    done = analyze("security", "--offline=true", "--no-pager", "--threshold=20", unit)
    assert done.returncode == 0, done.stdout


def test_the_gateway_accepts_its_settings(executable: str, tmp_path: Path) -> None:
    variables = dict(re.findall(r"^Environment=(\w+)=(.+)$", UNIT, re.M))
    folder = variables.pop("DRAWTOGETHER_DATA")
    assert folder == "/var/lib/" + re.search(r"^StateDirectory=(.+)$", UNIT, re.M)[1]
    in_force = settings(executable, tmp_path, variables)
    assert int(re.search(r"^LimitNOFILE=(\d+)$", UNIT, re.M)[1]) > 2 * int(in_force["--max-connections"])
    assert int(re.search(r"^TimeoutStopSec=(\d+)$", UNIT, re.M)[1]) > STOP_SECONDS
    assert size(re.search(r"^MemoryMax=(\w+)$", UNIT, re.M)[1]) >= 512 << 20


@pytest.mark.parametrize("name", sorted(file.name for file in ADDITIONS.iterdir()))
def test_systemd_and_the_gateway_accept_the_drop_ins(
    unit: Path, executable: str, tmp_path: Path, name: str
) -> None:
    folder = tmp_path / "drawtogether.service.d"
    folder.mkdir()
    shutil.copy(ADDITIONS / name, folder)
    done = analyze("verify", "--recursive-errors=no", unit)
    assert done.returncode == 0 and not done.stdout + done.stderr, done
    # Proves that drop-ins are read.
    (folder / "wrong.conf").write_text("[Service]\nNoSuchSetting=1\n")
    assert "NoSuchSetting" in analyze("verify", "--recursive-errors=no", unit).stderr
    (line,) = re.findall(r"^Environment=(.+)$", (ADDITIONS / name).read_text(), re.M)
    variables = dict(variable.split("=", 1) for variable in line.split())
    if name == "certificate.conf":
        chain, key = certificate(tmp_path)
        variables = {"DRAWTOGETHER_TLS_CERT": str(chain), "DRAWTOGETHER_TLS_KEY": str(key)}
    settings(executable, tmp_path / "data", variables)


def certificate(folder: Path, name: str = "localhost") -> tuple[Path, Path]:
    """Creates a certificate in the folders that certbot uses."""
    folder.mkdir(exist_ok=True)
    chain, key = folder / "fullchain.pem", folder / "privkey.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "30",
         "-subj", f"/CN={name}", "-keyout", key, "-out", chain],
        check=True, capture_output=True,
    )  # fmt: skip
    key.chmod(0o600)
    return chain, key


@contextlib.contextmanager
def serving(
    executable: str, folder: Path, *flags: str, by: tuple[str, ...] = (), **variables: str
) -> Iterator[subprocess.Popen[str]]:
    """Starts a gateway through another program, and waits until it is ready."""
    folder.mkdir(exist_ok=True)
    os.chown(folder, USER, USER)
    command = [*by, executable, "--public", str(REPOSITORY / "Public"), "--data", str(folder / "data"), "--log-format",
               "json", *flags]  # fmt: skip
    with (folder / "log").open("w") as log:
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, stderr=log, text=True, env=environment() | variables
        )
    try:
        assert process.stdout
        line = process.stdout.readline()
        assert '"event":"ready"' in line, (line, (folder / "log").read_text())
        yield process
    finally:
        process.terminate()
        process.wait(10)
        process.stdout.close()


def as_service(groups: str = "--clear-groups", capability: str = "-all") -> tuple[str, ...]:
    """Returns the command prefix that starts a program with the unit's privileges only."""
    words = ["setpriv", f"--reuid={USER}", f"--regid={USER}", groups, "--no-new-privs", f"--bounding-set={capability}"]
    return (*words, f"--inh-caps={capability}", f"--ambient-caps={capability}")


@pytest.fixture
def reachable(executable: str, tmp_path: Path) -> Path:
    """Gives a folder that any user may enter, with all folders above it."""
    folder = tmp_path
    while folder != folder.parent and folder.owner() == "root" and folder != Path("/tmp"):
        folder.chmod(folder.stat().st_mode | 0o011)
        folder = folder.parent
    return tmp_path


async def test_the_hook_copies_a_renewed_certificate_for_the_service(
    executable: str, reachable: Path
) -> None:
    tools = reachable / "bin"
    tools.mkdir()
    (tools / "systemctl").write_text(f"#!/bin/sh\necho $* >>{reachable}/asked\n")
    (tools / "systemctl").chmod(0o755)
    folder = reachable / "tls"

    def renew(name: str) -> None:
        certificate(reachable / "live", name)
        given = {"RENEWED_LINEAGE": str(reachable / "live"), "DRAWTOGETHER_TLS_FOLDER": str(folder)}
        path = f"{tools}:{os.environ['PATH']}"
        subprocess.run([HOOK], check=True, env=given | {"PATH": path, "DRAWTOGETHER_TLS_GROUP": str(GROUP)})

    renew("first")
    for file in ("cert.pem", "key.pem"):
        status = (folder / file).stat()
        assert (status.st_uid, status.st_gid, status.st_mode & 0o777) == (0, GROUP, 0o640)
    port = free_port()
    flags = ("--http", "off", "--https", f"127.0.0.1:{port}", "--tls-cert", f"{folder}/cert.pem", "--tls-key",
             f"{folder}/key.pem")  # fmt: skip

    def served() -> str:
        words = ["openssl", "s_client", "-connect", f"127.0.0.1:{port}"]
        shown = subprocess.run(words, input="", capture_output=True, text=True, check=False).stdout
        return re.search(r"subject=CN ?= ?(\w+)", shown)[1]

    with serving(executable, reachable / "service", *flags, by=as_service(f"--groups={GROUP}")):
        assert await asyncio.to_thread(served) == "first"
        renew("second")
        await until(lambda: served() == "second", "the new certificate is served")
    assert "reload drawtogether.service" in (reachable / "asked").read_text()


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as free:
        return free.getsockname()[1]


def test_ports_80_and_443_need_only_the_drop_in(executable: str, reachable: Path) -> None:
    text = (ADDITIONS / "ports.conf").read_text()
    names = set(re.findall(r"^(?:Ambient|Bounding)\w+=(\w+)$|^CapabilityBoundingSet=(\w+)$", text, re.M))
    assert {name for pair in names for name in pair if name} == {"CAP_NET_BIND_SERVICE"}
    # In a separate network, where only this capability allows these ports.
    flags = ("--http", "0.0.0.0:80", "--https", "0.0.0.0:443")
    by = ("unshare", "--net", *as_service(capability="-all,+net_bind_service"))
    with serving(executable, reachable / "with", *flags, by=by):
        pass
    with pytest.raises(AssertionError, match="ports below 1024"):
        with serving(executable, reachable / "without", *flags, by=("unshare", "--net", *as_service())):
            pass


@contextlib.contextmanager
def stopped_thread(process: int, name: str) -> Iterator[None]:
    """Stops one thread of a process, like a debugger, while the others run."""
    tasks = Path(f"/proc/{process}/task")
    (thread,) = [int(task.name) for task in tasks.iterdir() if (task / "comm").read_text().strip() == name]
    ptrace = ctypes.CDLL(None, use_errno=True).ptrace
    ptrace.argtypes = [ctypes.c_long, ctypes.c_long, ctypes.c_void_p, ctypes.c_void_p]

    def ask(request: int) -> None:
        if ptrace(request, thread, None, None) < 0:
            raise OSError(ctypes.get_errno(), f"ptrace {request:#x}")

    seize, interrupt, detach = 0x4206, 0x4207, 17
    ask(seize)
    ask(interrupt)
    os.waitpid(thread, 0x40000000)  # __WALL
    try:
        yield
    finally:
        ask(detach)


class Manager:
    """The receiving end of a service manager, with the service's messages and their times."""

    def __init__(self, name: str) -> None:
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(name)
        self.socket.setblocking(False)
        self.heard: list[tuple[float, str]] = []

    def states(self) -> list[str]:
        with contextlib.suppress(BlockingIOError):
            while True:
                self.heard.append((time.monotonic(), self.socket.recv(4096).decode()))
        return [state for _, state in self.heard]

    async def hears(self, condition: Callable[[list[str]], bool], what: str) -> None:
        await until(lambda: condition(self.states()), what, timeout=30)


@pytest.mark.parametrize("is_abstract", [False, True])
async def test_a_gateway_with_a_blocked_loop_sends_no_watchdog_messages(
    executable: str, tmp_path: Path, is_abstract: bool
) -> None:
    path = str(tmp_path / "notify")
    manager = Manager("\0" + path if is_abstract else path)
    variables = {"NOTIFY_SOCKET": ("@" if is_abstract else "") + path, "WATCHDOG_USEC": "400000"}
    flags = ("--http", "127.0.0.1:0", "--https", "off", "--reactors", "2")
    log = tmp_path / "service" / "log"
    with serving(executable, tmp_path / "service", *flags, **variables) as process:
        await manager.hears(lambda states: states.count("WATCHDOG=1") >= 3, "signs of life")
        assert manager.states()[0] == "READY=1"
        if not is_abstract:
            with stopped_thread(process.pid, "reactor-1"):
                await until(lambda: "event loop hangs" in log.read_text(), "it is noticed", timeout=30)
                manager.states()
                (hangs,) = [json.loads(line) for line in log.read_text().splitlines() if "loop hangs" in line]
                assert hangs["reactor"] == 1
                # Five of its turns later: there was none meanwhile.
                count = manager.states().count("WATCHDOG=1")
                until_then = time.monotonic() + 1
                await until(lambda: time.monotonic() > until_then, "a second")
                assert manager.states().count("WATCHDOG=1") == count
            await manager.hears(lambda states: states.count("WATCHDOG=1") > count, "it lives again")
        process.terminate()
        await manager.hears(lambda states: states[-1] == "STOPPING=1" or "STOPPING=1" in states, "its end")
    manager.socket.close()

"""Builds the image and runs it, with Debian's buildah and podman and without any registry.

The base images are stand-ins: Debian's packages for `debian:*`, and additionally this machine's Swift for `swift:*`. So the
tests check the Dockerfile's instructions, not that images of these names are available.
"""

from __future__ import annotations

import ctypes
import json
import os
import resource
import shutil
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from gateway import REPOSITORY, Gateway, trusting

DEBIAN, SWIFT = "localhost/debian:bookworm-slim", "localhost/swift:6.3-bookworm"
LOCKED_UP = (
    "--read-only", "--read-only-tmpfs=false", "--cap-drop=all", "--security-opt=no-new-privileges",
    "--memory=512m", "--pids-limit=512",
)  # fmt: skip
NEW_NETWORK = 0x4000_0000  # CLONE_NEWNET


def command(*words: str | Path, **options: Any) -> str:
    """Runs a command to its end and returns its output. Fails with all output if the command fails."""
    done = subprocess.run(
        list(map(str, words)),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
        **options,
    )
    assert done.returncode == 0, (
        f"{' '.join(map(str, words))} ended with {done.returncode}:\n{done.stdout[-8000:]}"
    )
    return done.stdout


class Engine:
    """A store of images and containers that later test runs reuse."""

    def __init__(self) -> None:
        assert os.geteuid() == 0, "the image is built and run as root: namespaces and mounts need it"
        self.folder = Path(tempfile.gettempdir()) / "drawtogether-images"
        self.folder.mkdir(exist_ok=True)
        driver = "overlay" if self._has_overlay() else "vfs"
        (self.folder / "storage.conf").write_text(
            f'[storage]\ndriver = "{driver}"\ngraphroot = "{self.folder}/{driver}"\nrunroot = "{self.folder}/run"\n'
        )
        self.environment = os.environ | {
            "CONTAINERS_STORAGE_CONF": str(self.folder / "storage.conf"), "STORAGE_DRIVER": driver,
            "BUILDAH_ISOLATION": "chroot",
        }  # fmt: skip
        found = shutil.which("swift")
        assert found, "there is no swift to build the image with"
        self.toolchain = Path(found).resolve().parents[2]
        self.home = os.open("/proc/self/ns/net", os.O_RDONLY)

    def _has_overlay(self) -> bool:
        with tempfile.TemporaryDirectory(dir=self.folder) as at:
            for name in "abcd":
                os.mkdir(f"{at}/{name}")
            options = f"lowerdir={at}/a,upperdir={at}/b,workdir={at}/c"
            done = subprocess.run(
                ["mount", "-t", "overlay", "overlay", "-o", options, f"{at}/d"], capture_output=True
            )
            if done.returncode == 0:
                command("umount", f"{at}/d")
            return done.returncode == 0

    def buildah(self, *words: str | Path) -> str:
        return command("buildah", *words, env=self.environment)

    def podman(self, *words: str | Path) -> subprocess.CompletedProcess[str]:
        # In the machine's own network, even if this thread is in another one. Without systemd there is no other way.
        start = ["nsenter", f"--net=/proc/{os.getpid()}/fd/{self.home}"]
        start += ["podman", "--runtime=runc", "--cgroup-manager=cgroupfs", "--events-backend=file"]
        return subprocess.run(
            [*start, *map(str, words)], capture_output=True, text=True, check=False, env=self.environment
        )

    def has(self, image: str) -> bool:
        asked = ["buildah", "images", "--quiet", image]
        return subprocess.run(asked, capture_output=True, check=False, env=self.environment).returncode == 0

    def make_bases(self) -> None:
        if not self.has(DEBIAN):
            with tempfile.TemporaryDirectory(dir=self.folder) as root:
                sources = self._sources()
                command("debootstrap", "--variant=minbase", "bookworm", root, sources[0].split()[1])
                self._slim(Path(root), sources)
                made = self.buildah("from", "scratch").strip()
                self.buildah("add", "--quiet", made, root, "/")
                self.buildah(
                    "config", "--cmd=bash", "--env=PATH=/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin", made
                )
                self.buildah("commit", "--quiet", "--rm", made, DEBIAN)
        if not self.has(SWIFT):
            made = self.buildah("from", "--pull-never", DEBIAN).strip()
            packages = "binutils ca-certificates git libc6-dev libcurl4 libedit2 libgcc-12-dev libncurses6 libpython3.11"
            packages += " libsqlite3-0 libstdc++-12-dev libxml2 libz3-4"
            install = f"apt-get update && apt-get install -y --no-install-recommends {packages}"
            self.buildah("run", made, "--", "sh", "-ec", install)
            path = f"{self.toolchain}/usr/bin:/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin"
            self.buildah("config", f"--env=PATH={path}", made)
            self.buildah("commit", "--quiet", "--rm", made, SWIFT)

    @staticmethod
    def _sources() -> list[str]:
        """Returns this machine's sources for bookworm, with that of the release first."""
        asked = [
            "apt-get",
            "indextargets",
            "--format",
            "deb $(REPO_URI) $(RELEASE) $(COMPONENT)",
            "Created-By: Packages",
        ]
        found = dict.fromkeys(
            line for line in command(*asked).splitlines() if line.split()[2].startswith("bookworm")
        )
        assert found, "apt knows no source of Debian 12's packages"
        return sorted(found, key=lambda line: len(line.split()[2]))

    @staticmethod
    def _slim(root: Path, sources: list[str]) -> None:
        """Makes a system like the slim image: without documentation, and apt keeps no downloads."""
        (root / "etc/apt/sources.list").write_text("\n".join(sources) + "\n")
        (root / "etc/dpkg/dpkg.cfg.d/docker").write_text(
            "".join(f"path-exclude /usr/share/{name}/*\n" for name in ("doc", "man", "locale", "info"))
        )
        (root / "etc/apt/apt.conf.d/docker").write_text(
            'DPkg::Post-Invoke { "rm -f /var/cache/apt/archives/*.deb /var/cache/apt/*.bin"; };\n'
            'Dir::Cache::pkgcache "";\nDir::Cache::srcpkgcache "";\nAcquire::Languages "none";\n'
        )
        for folder in (
            "usr/share/doc",
            "usr/share/man",
            "usr/share/locale",
            "usr/share/info",
            "var/lib/apt/lists",
        ):
            for one in (root / folder).iterdir():
                shutil.rmtree(one) if one.is_dir() else one.unlink()
        for one in (root / "var/cache/apt").rglob("*"):
            if one.is_file():
                one.unlink()

    def build(self, tag: str, *options: str) -> str:
        self.make_bases()
        toolchain = f"--volume={self.toolchain}:{self.toolchain}:ro"
        shape = ("--isolation=chroot", "--format=docker", "--pull-never", toolchain)
        self.buildah("bud", *shape, *options, "--file", REPOSITORY / "Dockerfile", "--tag", tag, REPOSITORY)
        return tag

    def inspect(self, image: str) -> dict[str, Any]:
        return json.loads(self.buildah("inspect", "--type=image", image))["Docker"]["config"]

    @contextmanager
    def mounted(self, image: str) -> Iterator[Path]:
        """Mounts the files of an image."""
        made = self.buildah("from", "--pull-never", image).strip()
        try:
            yield Path(self.buildah("mount", made).strip())
        finally:
            self.buildah("rm", made)


class Network:
    """A network namespace with only a loopback interface, where every port is free."""

    def __init__(self) -> None:
        self.name = f"drawtogether-{os.getpid()}"
        command("ip", "netns", "add", self.name)
        command("ip", "-n", self.name, "link", "set", "lo", "up")
        self.library = ctypes.CDLL(None, use_errno=True)

    @contextmanager
    def entered(self) -> Iterator[None]:
        """Creates the sockets and processes of this thread in the namespace."""
        with open("/proc/thread-self/ns/net") as home, open(f"/run/netns/{self.name}") as there:
            self._enter(there.fileno())
            try:
                yield
            finally:
                self._enter(home.fileno())

    def _enter(self, namespace: int) -> None:
        if self.library.setns(namespace, NEW_NETWORK) != 0:
            raise OSError(ctypes.get_errno(), "setns")

    def remove(self) -> None:
        command("ip", "netns", "delete", self.name)


class Container(Gateway):
    """The image, run with few privileges. Requests are sent from within its network."""

    def __init__(self, engine: Engine, network: Network, image: str, *options: str, data: str) -> None:
        self.engine, self.network = engine, network
        self.http, self.https, self.tls = ("127.0.0.1", 8080), ("127.0.0.1", 8443), trusting()
        most = resource.getrlimit(resource.RLIMIT_NOFILE)[1]
        made = engine.podman(
            "create", "--pull=never", f"--network=ns:/run/netns/{network.name}", "--no-healthcheck", *LOCKED_UP,
            f"--ulimit=nofile={most}:{most}", "--ulimit=nproc=4096:4096", f"--volume={data}:/data", *options, image,
        )  # fmt: skip
        assert made.returncode == 0, made.stderr
        self.id = made.stdout.strip()

    def start(self) -> None:
        started = self.engine.podman("start", self.id)
        assert started.returncode == 0, started.stderr

    @property
    def state(self) -> dict[str, Any]:
        return json.loads(self.engine.podman("inspect", self.id).stdout)[0]["State"]

    @property
    def log(self) -> str:
        shown = self.engine.podman("logs", self.id)
        return shown.stdout + shown.stderr

    async def until_healthy(self, seconds: float = 20) -> None:
        end = time.monotonic() + seconds
        while True:
            try:
                answer = await self.get("/healthz")
                assert answer.status == 200, answer
                return
            except OSError:
                assert time.monotonic() < end, (
                    f"not healthy after {seconds} s: {self.state}\n{self.log[-4000:]}"
                )
                time.sleep(0.005)

    def execute(self, *words: str) -> subprocess.CompletedProcess[str]:
        return self.engine.podman("exec", self.id, *words)

    def stop(self) -> None:
        """Sends SIGTERM and checks the exit code 0."""
        self.engine.podman("stop", "--time=15", self.id)
        assert self.state["ExitCode"] == 0, f"{self.state}\n{self.log[-4000:]}"

    def remove(self) -> None:
        self.engine.podman("rm", "--force", "--time=1", self.id)

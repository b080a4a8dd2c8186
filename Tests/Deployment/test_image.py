"""The image: its files, reproducible builds, and running it without privileges."""

from __future__ import annotations

import datetime
import hashlib
import json
import os
import re
import shutil
import stat
import subprocess
from collections.abc import Iterator
from pathlib import Path

import pytest

from attachments import Journal, content
from command import run
from containers import DEBIAN, Container, Engine, Network, command
from deployed import VERSION
from gateway import REPOSITORY
from polling import until
from room import Room, append, key, replace

MEGABYTE = 1_000_000
# The time stamp of the image's files, the only part that does not follow from its inputs.
DATED = "--timestamp=1700000000"


def test_the_image_is_labeled_with_the_version_of_the_program(executable: str) -> None:
    assert run(executable, "--version").stdout == f"drawtogether {VERSION}\n"


def test_the_build_context_is_a_swift_package(tmp_path: Path) -> None:
    """SwiftPM needs the folder of each target that the package declares. The image is built without the tests' targets."""
    lines = (REPOSITORY / ".dockerignore").read_text().splitlines()
    assert lines[1] == "*", "the rest says what is not ignored"
    for pattern in (line.removeprefix("!") for line in lines[2:]):
        found = list(REPOSITORY.glob(pattern))
        assert found, f".dockerignore names {pattern}, which is not there"
        for path in found:
            copy = tmp_path / path.relative_to(REPOSITORY)
            copy.parent.mkdir(parents=True, exist_ok=True)
            shutil.copytree(path, copy) if path.is_dir() else shutil.copy(path, copy)
    setting = re.search(r"^ENV (DRAWTOGETHER_PRODUCT_ONLY)=(\S+)$", (REPOSITORY / "Dockerfile").read_text(), re.M)
    assert setting, "the Dockerfile declares that the package has no tests"
    described = command(
        "swift", "package", "--package-path", tmp_path, "describe", "--type", "json",
        env=os.environ | {setting[1]: setting[2]},
    )  # fmt: skip
    targets = json.loads(described[described.index("{") :])["targets"]
    assert {target["name"] for target in targets} >= {"drawtogether", "Gateway", "GroupActivities"}
    assert not [target["name"] for target in targets if target["path"].startswith("Tests")]


@pytest.fixture(scope="session")
def engine() -> Engine:
    return Engine()


@pytest.fixture(scope="session")
def image(engine: Engine) -> str:
    return engine.build("localhost/drawtogether:test", "--layers", DATED)


@pytest.fixture(scope="session")
def network() -> Iterator[Network]:
    made = Network()
    yield made
    made.remove()


@pytest.fixture
def volume(engine: Engine) -> Iterator[str]:
    name = f"drawtogether-{os.getpid()}"
    made = engine.podman("volume", "create", name)
    assert made.returncode == 0, made.stderr
    yield name
    for one in (name, f"{name}-backup"):
        engine.podman("volume", "rm", "--force", one)


@pytest.fixture
def container(engine: Engine, network: Network, image: str, volume: str) -> Iterator[Container]:
    made = Container(engine, network, image, data=volume)
    yield made
    made.remove()


def files(root: Path) -> Iterator[Path]:
    for folder, folders, names in os.walk(root):
        yield from (Path(folder, name) for name in folders + names)


def total(root: Path) -> int:
    return sum(path.lstat().st_size for path in files(root) if stat.S_ISREG(path.lstat().st_mode))


@pytest.mark.long
def test_the_image_has_no_unneeded_files(engine: Engine, image: str) -> None:
    shape = engine.inspect(image)
    program = "/usr/local/bin/drawtogether"
    assert shape["User"] == "10001:10001"
    assert shape["Entrypoint"] == [program] and not shape.get("Cmd")
    assert set(shape["ExposedPorts"]) == {"8080/tcp", "8443/tcp"} and set(shape["Volumes"]) == {"/data"}
    assert shape["StopSignal"] == "SIGTERM"
    assert shape["Healthcheck"]["Test"] == ["CMD", program, "health"]
    labels = {name.removeprefix("org.opencontainers.image."): text for name, text in shape["Labels"].items()}
    assert labels["title"] == "DrawTogether" and labels["version"] == VERSION
    assert labels["base.name"] == "debian:bookworm-slim" and {"description", "revision"} <= set(labels)

    with engine.mounted(DEBIAN) as root:
        base = total(root)
    with engine.mounted(image) as root:
        added = total(root) - base
        print(
            f"the program {(root / program[1:]).stat().st_size / MEGABYTE:.1f} MB, added {added / MEGABYTE:.1f} MB"
        )
        assert added <= 60 * MEGABYTE
        privileged = [
            path
            for path in files(root)
            if path.is_file() and not path.is_symlink() and path.stat().st_mode & 0o6000
        ]
        assert not privileged
        left = [
            folder
            for folder in ("var/log", "var/lib/apt/lists", "var/cache/apt", "source", "product")
            if any((root / folder).glob("*"))
        ]
        assert not left
        assert not [
            name for name in ("gcc", "cc", "ld", "swift", "git", "curl") if (root / "usr/bin" / name).exists()
        ]
        data = (root / "data").stat()
        assert (data.st_uid, data.st_gid, stat.S_IMODE(data.st_mode)) == (10001, 10001, 0o700)
        page = root / "usr/local/share/drawtogether/Public"
        assert (page / "release.json").exists() and not (page / "js/app/app.js").exists(), "the page of a release"
        assert all(path.stat().st_mode & 0o444 == 0o444 for path in [root / program[1:], page, *files(page)])
        missing = command("chroot", root, "ldd", program)
        assert "not found" not in missing


def described(path: Path, root: Path) -> tuple[str, ...]:
    about = path.lstat()
    kind = stat.S_IFMT(about.st_mode)
    inside = os.readlink(path) if kind == stat.S_IFLNK else ""
    if kind == stat.S_IFREG:
        inside = hashlib.sha256(path.read_bytes()).hexdigest()
    return str(path.relative_to(root)), oct(about.st_mode), f"{about.st_uid}:{about.st_gid}", inside


@pytest.mark.long
def test_the_same_inputs_make_the_same_image(engine: Engine, image: str) -> None:
    """With the same base images and packages, all files are the same but the program, in which only the order of a few
    instructions varies. The compiler chose another order in one of two pairs of builds, in 299 bytes of 17 million. With
    a fixed seed for Swift's hashes (SWIFT_DETERMINISTIC_HASHING=1), one of three builds still had 24 other bytes."""
    again = engine.build("localhost/drawtogether:again", "--no-cache", "--layers", DATED)
    program = "usr/local/bin/drawtogether"
    found, programs, layers, shapes = [], [], [], []
    for one in (image, again):
        with engine.mounted(one) as root:
            found.append({described(path, root) for path in files(root) if path != root / program})
            programs.append((root / program).read_bytes())
        about = json.loads(engine.buildah("inspect", "--type=image", one))["Docker"]
        layers.append(about["rootfs"]["diff_ids"])
        # buildah records the host name of the build machine.
        shapes.append((about["created"], about["config"] | {"Hostname": ""}))
    assert not sorted(found[0] ^ found[1])
    assert shapes[0] == shapes[1]
    # The only layer with the program.
    assert sum(one != other for one, other in zip(*layers, strict=True)) <= (programs[0] != programs[1])
    differing = sum(one != other for one, other in zip(*programs, strict=True))
    print(f"{differing} bytes of the program differ")
    assert differing < len(programs[0]) / 1000


@pytest.mark.long
async def test_the_image_runs_without_privileges(container: Container, network: Network) -> None:
    with network.entered():
        container.start()
        await container.until_healthy()
        state = container.state
        assert (await container.get("/readyz")).status == 200
        status = Path(f"/proc/{state['Pid']}/status").read_text()
        assert re.search(r"^Uid:\t10001\t10001\t10001\t10001$", status, re.M), status
        assert re.search(r"^CapEff:\t0+$", status, re.M) and re.search(r"^NoNewPrivs:\t1$", status, re.M)
        health = container.execute("/usr/local/bin/drawtogether", "health")
        assert health.returncode == 0, health.stderr
        assert container.execute("touch", "/usr/x").returncode != 0
        container.stop()
    assert '"level":"error"' not in container.log and '"level":"warning"' not in container.log, container.log


@pytest.mark.long
async def test_the_container_is_healthy_within_a_second(
    engine: Engine, network: Network, image: str, volume: str
) -> None:
    """The best of three, because other processes share the machine. Each has an empty volume, so that it creates a
    certificate."""
    took = []
    for _ in range(3):
        made = Container(engine, network, image, data=volume)
        try:
            with network.entered():
                made.start()
                await made.until_healthy()
                healthy = datetime.datetime.now(datetime.UTC)
                took.append(healthy - datetime.datetime.fromisoformat(made.state["StartedAt"]))
                print(
                    f"healthy {took[-1].total_seconds():.3f} s after it was started: {made.log.splitlines()[0]}"
                )
                made.stop()
        finally:
            made.remove()
            engine.podman("volume", "rm", "--force", volume)
    assert min(took) < datetime.timedelta(seconds=1), [str(one) for one in took]


@pytest.mark.long
async def test_data_survives_a_restart_and_a_new_image(
    engine: Engine, network: Network, image: str, volume: str, container: Container
) -> None:
    newer = engine.build("localhost/drawtogether:newer", "--layers", "--build-arg=REVISION=newer")
    picture = content(300_000)
    with network.entered():
        container.start()
        await container.until_healthy()
        async with Room(container) as room:
            ada = await room.join("Ada")
            ada.send(append(1, "a line"), replace(2, "a square"))
            await ada.committed()
            attachment = await Journal(container, room.id).add(
                picture, Content_Disposition='attachment; filename="cat.png"'
            )
            session = room.id
        container.stop()
        container.start()
        await container.until_healthy()
        assert (await container.get(f"/api/sessions/{session}")).status == 200
        container.stop()
        container.remove()

        upgraded = Container(engine, network, newer, f"--volume={volume}-backup:/backup", data=volume)
        try:
            upgraded.start()
            await upgraded.until_healthy()
            room = Room(upgraded)
            room.id = session
            ben = await room.join("Ben")
            assert ben.retained.payloads() == {key(1): [b"a line"], key(2): [b"a square"]}
            kept = await upgraded.get(f"/api/sessions/{session}/attachments/{attachment['id']}")
            assert kept.status == 200 and kept.body == picture
            listed = upgraded.execute("drawtogether", "sessions", "--json")
            assert listed.returncode == 0 and session[:6] in listed.stdout, listed
            for words in (["verify"], ["backup", "/backup/monday"], ["verify", "--data", "/backup/monday"]):
                done = upgraded.execute("drawtogether", *words)
                assert done.returncode == 0, done
            await ben.cut()
            upgraded.stop()
        finally:
            upgraded.remove()


@pytest.mark.long
async def test_orphaned_processes_are_reaped(container: Container, network: Network) -> None:
    """The gateway is process 1 in the container, and so the parent of orphaned processes."""
    with network.entered():
        container.start()
        await container.until_healthy()
        left = container.execute("sh", "-c", "sleep 0.05 & exit")
        assert left.returncode == 0, left
        first = container.state["Pid"]
        children = Path(f"/proc/{first}/task/{first}/children")
        await until(lambda: not children.read_text().split(), "nothing is left")
        container.stop()


@pytest.mark.long
async def test_a_host_folder_must_belong_to_the_user(
    engine: Engine, network: Network, image: str, tmp_path: Path
) -> None:
    made = Container(engine, network, image, data=str(tmp_path))
    try:
        with network.entered():
            tmp_path.chmod(0o755)
            made.start()
            engine.podman("wait", made.id)
            assert made.state["ExitCode"] == 2
            assert made.log == (
                "drawtogether: --data: the data folder /data cannot be written to (open: Permission denied): "
                "it has to belong to user 10001, the user of the gateway (chown -R 10001)\n"
            )
            os.chown(tmp_path, 10001, 10001)
            made.start()
            await made.until_healthy()
            made.stop()
    finally:
        made.remove()


@pytest.mark.long
@pytest.mark.parametrize("options", [["--cpus=0.5"], ["--cpuset-cpus=0"]], ids=" ".join)
def test_there_are_no_more_reactors_than_cores_of_the_container(
    engine: Engine, image: str, options: list[str]
) -> None:
    shown = engine.podman("run", "--rm", "--network=none", "--no-healthcheck", "--ulimit=nproc=4096:4096",
        f"--ulimit=nofile={4096}:{4096}", *options, image, "--check-config")  # fmt: skip
    assert ["--reactors", "1"] in [line.split()[:2] for line in shown.stdout.splitlines()], shown


@pytest.mark.long
def test_browsers_draw_through_the_container(container: Container, network: Network) -> None:
    browsers = REPOSITORY / "Tests/Browser/run"
    command(browsers, "--version")
    with network.entered():
        container.start()
        asked = os.environ | {"DRAWTOGETHER_URL": "https://127.0.0.1:8443"}
        done = subprocess.run(
            [browsers, "test_elsewhere.py"], capture_output=True, text=True, check=False, env=asked
        )
        assert done.returncode == 0 and "2 passed" in done.stdout, done.stdout + container.log
        container.stop()

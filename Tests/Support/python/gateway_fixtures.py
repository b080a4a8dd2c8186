"""Fixtures: one gateway per set of settings, kept for the whole run. Tests may be coroutines."""

from __future__ import annotations

import asyncio
import inspect
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from attachments import Journal
from gateway import Gateway, binary, brief_seconds, has_sanitizer, has_thread_sanitizer
from lasting import LastingGateway
from keepalive import KeepaliveObservation
from slow import SANITIZER_BYTES, SANITIZER_TIMES

SECONDS_PER_TEST = 60.0
GatewayMaker = Callable[..., Gateway]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--full", action="store_true", help="run the chaos and the load at their full size")
    parser.addoption("--seed", type=int, default=None, help="run the chaos with this seed only")


@pytest.hookimpl(tryfirst=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> bool | None:
    """Runs a coroutine test in its own event loop, with a time limit."""
    if not inspect.iscoroutinefunction(pyfuncitem.obj):
        return None
    wanted = inspect.signature(pyfuncitem.obj).parameters
    arguments = {name: pyfuncitem.funcargs[name] for name in wanted}
    mark = pyfuncitem.get_closest_marker("seconds")
    limit = (mark.args[0] if mark else SECONDS_PER_TEST) * (2 if has_sanitizer() else 1)

    async def limited() -> None:
        async with asyncio.timeout(limit):
            await pyfuncitem.obj(**arguments)

    asyncio.run(limited())
    return True


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "seconds(n): the most time this test may take, doubled for a sanitizer")
    config.addinivalue_line("markers", "no_thread_sanitizer: limits files, which that sanitizer writes itself")


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    if has_sanitizer():
        terminalreporter.write_line(
            f"A sanitizer in the gateway: bounds of memory and of delays were {SANITIZER_TIMES} times as wide, "
            f"those of memory by {SANITIZER_BYTES >> 20} MiB more, and short limits were {brief_seconds()} s."
        )


@pytest.fixture(scope="session")
def executable() -> str:
    path = binary()
    assert Path(path).is_file(), f"no gateway at {path}: build it, or set DRAWTOGETHER_BIN"
    return path


@pytest.fixture(scope="session")
def gateway_with(executable: str, tmp_path_factory: pytest.TempPathFactory) -> Iterator[GatewayMaker]:
    """Gives the gateway with these settings. It is started on first use and stopped cleanly at the end."""
    running: dict[Any, Gateway] = {}

    def make(*arguments: str, **options: Any) -> Gateway:
        settings = (arguments, tuple(sorted(options.items())))
        if settings not in running:
            folder = tmp_path_factory.mktemp("gateway")
            running[settings] = Gateway(executable, folder, *arguments, **options)
        return running[settings]

    yield make
    left = {settings: gateway.process.poll() for settings, gateway in running.items()}
    # All at once, because each of them takes time to stop. With a sanitizer, each also searches for leaks.
    for gateway in running.values():
        gateway.begin_to_terminate()
    codes = {settings: gateway.terminate(60) for settings, gateway in running.items()}
    for gateway in running.values():
        # Attachments are large, and pytest keeps the folders of three runs.
        shutil.rmtree(gateway.folder / "data", ignore_errors=True)
    assert all(code is None for code in left.values()), f"gateways that died under test: {left}"
    assert all(code == 0 for code in codes.values()), f"exit codes after SIGTERM: {codes}"


@pytest.fixture(scope="session")
def gateway(gateway_with: GatewayMaker) -> Gateway:
    """The gateway with every limit at its default."""
    return gateway_with()


@pytest.fixture
def journal(gateway: Gateway) -> Journal:
    """The journal of a new session."""
    return asyncio.run(Journal.open(gateway))


@pytest.fixture(scope="session", autouse=True)
def keepalive_observation(request: pytest.FixtureRequest) -> KeepaliveObservation | None:
    """Starts the observation with the first test if any test needs it, so that its minute passes meanwhile."""
    if any("test_keepalive" in item.name for item in request.session.items):
        return KeepaliveObservation(request.getfixturevalue("gateway"))
    return None


@pytest.fixture
def new_gateway(executable: str, tmp_path: Path) -> Iterator[GatewayMaker]:
    """Starts gateways that the test stops itself."""
    started: list[Gateway] = []

    def make(*arguments: str, **settings: Any) -> Gateway:
        folder = settings.pop("folder", tmp_path / str(len(started)))
        started.append(Gateway(executable, folder, *arguments, **settings))
        return started[-1]

    yield make
    for gateway in started:
        if gateway.process.poll() is None:
            gateway.process.kill()
            gateway.wait()


@pytest.fixture
def lasting_with(executable: str, tmp_path: Path) -> Iterator[Callable[..., LastingGateway]]:
    """Starts gateways that the test kills, stops and starts again."""
    started: list[LastingGateway] = []

    def make(*arguments: str, **settings: Any) -> LastingGateway:
        folder = settings.pop("folder", tmp_path / f"lasting-{len(started)}")
        started.append(LastingGateway(executable, folder, *arguments, **settings))
        return started[-1]

    yield make
    for gateway in started:
        gateway.kill()
        shutil.rmtree(gateway.data, ignore_errors=True)


@pytest.fixture
def lasting(lasting_with: Callable[..., LastingGateway]) -> LastingGateway:
    """A gateway that can be restarted, with every limit at its default."""
    return lasting_with()


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Moves tests of the first started observation to the end. Skips and counts tests that the thread sanitizer makes
    impossible."""
    items.sort(key=lambda item: "test_keepalive" in item.name)
    if has_thread_sanitizer():
        left_out = [item for item in items if item.get_closest_marker("no_thread_sanitizer")]
        items[:] = [item for item in items if item not in left_out]
        config.hook.pytest_deselected(items=left_out)

"""Settings for every test."""

import signal
import threading
from pathlib import Path

import pytest
from hypothesis import settings

from support.longest import rank

_HERE = Path(__file__).parent

# No test asserts a time, so no example of a property may fail by being slow.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")


def pytest_configure() -> None:
    """End in an orderly way, fixtures and all, when told to. Background jobs ignore SIGINT and `nohup` SIGHUP, and what
    a test starts would inherit that; SIGTERM would kill.
    """
    if threading.current_thread() is threading.main_thread():
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
            signal.signal(number, signal.default_int_handler)


# First, for xdist reads the groups in this hook, too.
@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """With two workers a file stays with one of them (its fixtures are dear), and all container tests do: they ask the
    engine what is left in it. So do those of the cluster, which takes long to start. Tests end to end have a project
    each, so they go where there is room, unless they say so.
    """
    folders = list(dict.fromkeys(_folder(item) for item in items))
    items.sort(key=lambda item: (folders.index(_folder(item)), rank(_place(item))))
    for item in items:
        if "end_to_end" in item.path.parts:
            continue
        shared = {"cluster", "containers"}.intersection(item.path.parts)
        item.add_marker(pytest.mark.xdist_group(shared.pop() if shared else item.path.stem))


def _place(item: pytest.Item) -> str:
    return f"{item.path.relative_to(_HERE).as_posix()}::{item.name}"


def _folder(item: pytest.Item) -> str:
    return item.path.relative_to(_HERE).parts[0]

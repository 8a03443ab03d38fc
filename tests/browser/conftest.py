"""A real browser that opens reports from disk and notes whatever it should not have had to say or fetch."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import Browser, Dialog, Page, sync_playwright

from pacecar.reporting.document import Document
from pacecar.reporting.html import write_report
from support.checkout import CHECKOUT
from support.documents import run

_NAMES = ("chromium", "chromium-browser", "google-chrome")
_ARGUMENTS = (
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)
WEB = CHECKOUT / "reports" / "web"


@dataclass(kw_only=True)
class Visit:
    """An open page, what its console said, what it asked of a network, and the dialogs it opened."""

    page: Page
    console: list[str] = field(default_factory=list)
    requests: list[str] = field(default_factory=list)
    dialogs: list[str] = field(default_factory=list)


Open = Callable[..., Visit]


@pytest.fixture(scope="session")
def browser() -> Iterator[Browser]:
    executable = next(filter(None, map(shutil.which, _NAMES)), None)
    if executable is None:
        pytest.skip("no chromium on PATH: apt-get install chromium")
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=executable, args=list(_ARGUMENTS))
        yield browser
        browser.close()


@pytest.fixture(scope="session")
def document() -> Document:
    return run().document()


@pytest.fixture(scope="session")
def report(document: Document, tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("report") / "report.html"
    write_report(document, path)
    return path


@pytest.fixture
def visit(browser: Browser) -> Iterator[Open]:
    """Opens a report: `visit(path, fragment="", width=1280, **context options)`."""
    contexts = []

    def open_page(path: Path, *, fragment: str = "", width: int = 1280, **options: Any) -> Visit:
        context = browser.new_context(viewport={"width": width, "height": 900}, **options)
        contexts.append(context)
        page = context.new_page()
        seen = Visit(page=page)
        page.on("console", lambda message: seen.console.append(f"{message.type}: {message.text}"))
        page.on("pageerror", lambda error: seen.console.append(f"error: {error}"))
        page.on("request", lambda request: seen.requests.append(request.url))
        page.on("dialog", _dismissed(seen))
        page.goto(path.as_uri() + fragment)
        return seen

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture(scope="session")
def axe() -> str:
    """The source of axe-core, the accessibility checker."""
    script = WEB / "node_modules" / "axe-core" / "axe.min.js"
    if not script.exists():
        pytest.skip("no axe-core in reports/web/node_modules: cd reports/web && npm ci")
    return script.read_text(encoding="utf-8")


def _dismissed(seen: Visit) -> Callable[[Dialog], None]:
    def note(dialog: Dialog) -> None:
        seen.dialogs.append(dialog.message)
        dialog.dismiss()

    return note

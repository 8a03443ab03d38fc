"""The flame graph as a person uses it, by pointer and by keyboard."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Locator, Page, expect

from browser.conftest import Open
from pacecar.reporting.document import Document
from pacecar.reporting.document.flames import flame_row
from pacecar.reporting.html import write_report
from support.flames import HOSTILE_FRAME, flame

#: Height of a row in pixels.
ROW = 19
WRITE = "com.example.orders.json.JacksonEncoder.write"


def _opened(visit: Open, report: Path, fragment: str = "") -> Page:
    page = visit(report, fragment=f"#{fragment}").page
    expect(page.locator("#flame-crumbs button").first).to_be_visible()
    page.locator("#flames").scroll_into_view_if_needed()
    return page


def _canvas(page: Page) -> Locator:
    return page.locator("#flame-canvas")


def _drawn(page: Page) -> str:
    return str(_canvas(page).evaluate("canvas => canvas.toDataURL()"))


def _over(page: Page, row: int, share: float) -> None:
    box = _canvas(page).bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + share * box["width"], box["y"] + (row + 0.5) * ROW)


def test_a_frame_under_the_pointer_is_told_in_words(visit: Open, report: Path) -> None:
    page = _opened(visit, report)
    _over(page, 3, 0.1)
    tip = page.locator("#flame-tip")
    expect(tip).to_contain_text(WRITE)
    expect(tip).to_contain_text("baseline 0.620 ms")
    expect(tip).to_contain_text("candidate 1.03 ms")
    expect(tip).to_contain_text("beyond noise")


def test_a_click_zooms_and_the_crumbs_lead_back(visit: Open, report: Path) -> None:
    page = _opened(visit, report)
    before = _drawn(page)
    _over(page, 2, 0.1)
    page.mouse.down()
    page.mouse.up()
    expect(page.locator("#flame-crumbs button[aria-current]")).to_have_text("OrderController.list")
    assert _drawn(page) != before
    assert "zoom=0.0" in page.url
    page.locator("#flame-crumbs button").first.click()
    expect(page.locator("#flame-crumbs button")).to_have_count(1)
    assert _drawn(page) == before


def test_modes_differ_and_what_is_gone_shows_where_it_counts(visit: Open, report: Path) -> None:
    page = _opened(visit, report)
    drawn = {}
    for mode in ("diff", "baseline", "candidate"):
        page.locator("#flame-mode").select_option(mode)
        page.locator("#flame-find").fill("PriceCache")
        drawn[mode] = _drawn(page)
    assert len(set(drawn.values())) == 3
    expect(page.locator("#flame-count")).to_have_text("1 frame, 0.090 ms → 0.000 ms")


def test_pool_and_endpoint_choose_the_stacks(visit: Open, report: Path) -> None:
    page = _opened(visit, report)
    page.locator("#flame-pool").select_option("C2 CompilerThread")
    expect(page.locator("#flame-words")).to_contain_text("candidate 0.210 ms (100 %)")
    page.locator("#flame-pool").select_option("")
    page.locator("#flame-serves").select_option("SearchController.find")
    expect(page.locator("#flame-words")).to_contain_text("candidate 0.410 ms")


def test_callers_and_callees_of_a_frame(visit: Open, report: Path) -> None:
    page = _opened(visit, report)
    _canvas(page).focus()
    for key in ("ArrowDown", "ArrowDown", "ArrowDown", "s"):
        page.keyboard.press(key)
    expect(page.locator("#flame-callers-title")).to_be_visible()
    expect(page.locator("#flame-words")).to_contain_text(WRITE)
    assert f"around={WRITE}" in page.url
    page.locator("#flame-crumbs button", has_text="whole graph").click()
    expect(page.locator("#flame-callers-title")).to_be_hidden()


def test_the_keyboard_reaches_every_frame(visit: Open, report: Path) -> None:
    page = _opened(visit, report)
    _canvas(page).focus()
    words = page.locator("#flame-words")
    page.keyboard.press("ArrowDown")
    expect(words).to_contain_text("java.lang.Thread.run")
    page.keyboard.press("ArrowRight")
    expect(words).to_contain_text("Compile::Optimize")
    page.keyboard.press("ArrowLeft")
    page.keyboard.press("Enter")
    expect(page.locator("#flame-crumbs button[aria-current]")).to_have_text("Thread.run")
    page.keyboard.press("Escape")
    expect(page.locator("#flame-crumbs button")).to_have_count(1)
    page.keyboard.press("/")
    expect(page.locator("#flame-find")).to_be_focused()


def test_a_link_shows_the_same_view(visit: Open, report: Path) -> None:
    first = _opened(visit, report)
    first.locator("#flame-mode").select_option("candidate")
    first.locator("#flame-find").fill("Encoder")
    _over(first, 2, 0.1)
    first.mouse.down()
    first.mouse.up()
    expect(first.locator("#flame-crumbs button")).to_have_count(3)
    second = _opened(visit, report, first.url.partition("#")[2])
    expect(second.locator("#flame-mode")).to_have_value("candidate")
    expect(second.locator("#flame-find")).to_have_value("Encoder")
    expect(second.locator("#flame-crumbs button[aria-current]")).to_have_text("OrderController.list")


@pytest.fixture(scope="module")
def deep(document: Document, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A report in which forty frames of a web framework stand above the one that the leading cause names."""
    assert document.profiles is not None
    first, *others = document.findings
    root = replace(first.causes[0], scope=replace(first.causes[0].scope, frame=WRITE))
    told = replace(first, causes=(root, *first.causes[1:]))
    profiles = replace(document.profiles, flames=(flame_row(flame(filters=40)),))
    path = tmp_path_factory.mktemp("deep") / "report.html"
    write_report(replace(document, findings=(told, *others), profiles=profiles), path)
    return path


def test_a_cause_below_the_fold_is_where_the_graph_opens(visit: Open, deep: Path) -> None:
    page = _opened(visit, deep)
    crumbs, scroller = page.locator("#flame-crumbs"), page.locator("#flame-scroller")
    expect(crumbs.locator("button[aria-current]")).to_have_text("JacksonEncoder.write")
    expect(crumbs).to_contain_text("the likely cause")
    expect(crumbs).to_contain_text("… 38 more …")
    expect(page.locator("#flame-words")).to_contain_text(WRITE)
    assert scroller.evaluate("place => place.scrollTop") > 0
    assert "zoom" not in page.url, "nobody has chosen anything"

    crumbs.locator("button").first.click()
    expect(crumbs.locator("button")).to_have_text(["everything"])
    assert scroller.evaluate("place => place.scrollTop") == 0


def test_a_link_wins_over_the_cause(visit: Open, deep: Path) -> None:
    page = _opened(visit, deep, "show=candidate")
    expect(page.locator("#flame-crumbs button")).to_have_text(["everything"])


def test_a_hostile_class_name_is_only_text(visit: Open, report: Path) -> None:
    seen = visit(report)
    page = seen.page
    expect(page.locator("#flame-crumbs button").first).to_be_visible()
    page.locator("#flame-find").fill("com.evil")
    expect(page.locator("#flame-count")).to_contain_text("1 frame")
    page.goto(page.url.replace("find=com.evil", f"around={HOSTILE_FRAME}"))
    page.reload()
    expect(page.locator("#flame-words")).to_contain_text(HOSTILE_FRAME)
    assert seen.dialogs == []
    assert seen.console == []

"""The report as a person sees it."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Page, expect

from browser.conftest import Open
from pacecar.reporting.document import Document
from pacecar.reporting.html import write_report
from support.documents import HOSTILE


def shown_frames(page: Page) -> list[str]:
    rows = page.locator("#frames-cpu tbody tr:visible")
    return [str(row.get_attribute("data-frame")).rsplit(".", 1)[-1] for row in rows.all()]


def drawn_pixels(page: Page) -> str:
    """The curves as the browser drew them."""
    return str(page.locator("#plot canvas").evaluate("canvas => canvas.toDataURL()"))


def test_the_first_screen_needs_no_script(visit: Open, report: Path, document: Document) -> None:
    page = visit(report, java_script_enabled=False).page

    expect(page.locator("h1")).to_have_text(document.headline)
    expect(page.locator("h1")).to_be_in_viewport()
    expect(page.locator(".verdict")).to_contain_text("regressed")
    expect(page.locator("#bounds tbody tr")).to_have_count(6)
    expect(page.locator("#bounds tbody tr").last).to_be_in_viewport()
    expect(page.locator(".cause")).to_be_in_viewport()
    expect(page.locator("#metrics tbody tr:visible")).to_have_count(8)
    expect(page.locator(".needs-script:visible")).to_have_count(0)


def test_nothing_leaves_the_file_and_nothing_goes_wrong(visit: Open, report: Path) -> None:
    seen = visit(report)
    seen.page.locator("#endpoint").select_option("GET /search")
    seen.page.locator("#frame-search").fill("orders")

    assert [url for url in seen.requests if not url.startswith("data:")] == [report.as_uri()]
    assert seen.console == []
    assert seen.dialogs == []


def test_frames_are_found_by_words_of_name_and_pool(visit: Open, report: Path) -> None:
    page = visit(report).page

    page.locator("#frame-search").fill("cache PRICE")

    assert shown_frames(page) == ["lookup"]
    expect(page.locator("#frame-count")).to_have_text("1 of 9")
    page.locator("#frame-search").fill("commonpool")
    assert shown_frames(page) == ["scan"]
    page.locator("#frame-search").fill("")
    assert len(shown_frames(page)) == 5


def test_each_kind_of_profile_has_its_frames_in_its_unit(visit: Open, report: Path) -> None:
    page = visit(report, java_script_enabled=False).page

    allocating = page.locator("#frames-alloc tbody tr")

    expect(allocating).to_have_count(1)
    expect(allocating).to_be_visible()
    expect(allocating).to_contain_text("+10.2 kB")


def test_a_search_opens_the_tables_it_finds_something_in(visit: Open, report: Path) -> None:
    page = visit(report).page
    kind = page.locator("details.frames-of", has=page.locator("#frames-alloc"))
    kind.locator("> summary").click()
    expect(page.locator("#frames-alloc")).to_be_hidden()

    page.locator("#frame-search").fill("jackson")

    expect(page.locator("#frames-alloc tbody tr")).to_be_visible()
    expect(page.locator("#frame-count")).to_have_text("2 of 9")


def test_frames_can_be_sorted_with_the_keyboard(visit: Open, report: Path) -> None:
    page = visit(report).page
    change = page.locator("#frames-cpu th[data-sort]", has_text="Change")

    change.locator("button").focus()
    page.keyboard.press("Enter")
    assert shown_frames(page)[0] == "write"
    page.keyboard.press("Enter")

    assert shown_frames(page)[0] == "lookup"
    expect(change).to_have_attribute("aria-sort", "ascending")


def test_library_frames_unfold_below_their_caller(visit: Open, report: Path) -> None:
    page = visit(report).page
    below = page.locator("#frames-cpu .below").first
    expect(below).to_be_hidden()

    page.locator("#frames-cpu summary").first.focus()
    page.keyboard.press("Enter")

    expect(below).to_contain_text("UTF8JsonGenerator._outputRaw")


def test_curves_are_drawn_for_the_chosen_endpoint(visit: Open, report: Path) -> None:
    page = visit(report).page
    blank = page.locator("#plot canvas").evaluate(
        "canvas => { const empty = document.createElement('canvas');"
        " empty.width = canvas.width; empty.height = canvas.height; return empty.toDataURL(); }"
    )
    busiest = drawn_pixels(page)

    page.locator("#endpoint").select_option("GET /search")

    assert busiest != blank
    assert drawn_pixels(page) not in (blank, busiest)


def test_the_pointer_reads_the_curves(visit: Open, report: Path) -> None:
    page = visit(report).page

    page.locator("#plot .u-over").hover()

    expect(page.locator("#readout")).to_have_text(re.compile(r"p\d+ +baseline [\d.]+ ms +candidate [\d.]+ ms"))


def test_what_was_chosen_stands_in_the_address_and_comes_back(visit: Open, report: Path) -> None:
    first = visit(report).page
    first.locator("#endpoint").select_option("GET /search")
    first.locator("#frame-search").fill("price")
    fragment = first.evaluate("location.hash")

    again = visit(report, fragment=fragment).page

    expect(again.locator("#endpoint")).to_have_value("GET /search")
    expect(again.locator("#frame-search")).to_have_value("price")
    assert shown_frames(again) == ["lookup"]
    assert drawn_pixels(again) == drawn_pixels(first)


def test_other_metrics_wait_until_they_are_asked_for(visit: Open, report: Path, document: Document) -> None:
    page = visit(report, java_script_enabled=False).page
    rows = page.locator("#metrics tbody tr:visible")
    expect(rows).to_have_count(8)

    page.locator("#more-metrics > summary").click()

    expect(rows).to_have_count(len(document.judgements))


def test_a_verdict_leads_to_its_meaning(visit: Open, report: Path) -> None:
    page = visit(report).page

    page.locator("#bounds a.badge", has_text="inconclusive").click()

    expect(page.locator("#word-inconclusive")).to_be_in_viewport()
    expect(page.locator("#endpoint")).to_have_value("GET /orders")


def test_a_long_name_breaks_at_its_dots(visit: Open, document: Document, tmp_path: Path) -> None:
    name = "org.springframework.samples.petclinic.service.clinic.ClinicServiceImplementation.findOwnerByIdentifier"
    assert document.profiles is not None
    frame = replace(document.profiles.frames[0], frame=name)
    write_report(replace(document, profiles=replace(document.profiles, frames=(frame,))), tmp_path / "long.html")
    page = visit(tmp_path / "long.html", width=820).page

    lines = page.locator("#frames-cpu .frame-name").first.evaluate(
        """name => {
          const ends = [];
          let above = null;
          const walker = document.createTreeWalker(name, NodeFilter.SHOW_TEXT);
          for (let node = walker.nextNode(); node; node = walker.nextNode())
            for (let i = 0; i < node.length; i++) {
              const range = document.createRange();
              range.setStart(node, i);
              range.setEnd(node, i + 1);
              const box = range.getBoundingClientRect();
              if (above !== null && box.top > above.top + 4) ends.push(above.letter);
              above = { top: box.top, letter: node.data[i] };
            }
          return ends;
        }"""
    )

    assert lines
    assert set(lines) == {"."}


def test_hostile_names_do_nothing(visit: Open, document: Document, tmp_path: Path) -> None:
    assert document.profiles is not None
    frame = replace(document.frames[0], frame=HOSTILE, pool=HOSTILE)
    curves = replace(document.profiles.curves[0], endpoint=HOSTILE)
    hostile = replace(
        document,
        headline=HOSTILE,
        warnings=(HOSTILE,),
        frames=(frame,),
        profiles=replace(document.profiles, frames=(frame,), curves=(curves,)),
    )
    write_report(hostile, tmp_path / "hostile.html")

    seen = visit(tmp_path / "hostile.html")

    expect(seen.page.locator("h1")).to_have_text(HOSTILE)
    expect(seen.page.locator("#endpoint")).to_have_value(HOSTILE)
    expect(seen.page.locator("img")).to_have_count(0)
    seen.page.locator("#frame-search").fill(HOSTILE)
    expect(seen.page.locator("#frames-cpu tbody tr:visible")).to_have_count(1)
    assert (seen.dialogs, seen.console) == ([], [])


def test_a_script_of_somebody_else_is_refused(visit: Open, report: Path) -> None:
    seen = visit(report)

    ran = seen.page.evaluate(
        "() => { const script = document.createElement('script'); script.textContent = 'window.ran = true';"
        " document.body.append(script); return window.ran === true; }"
    )

    assert ran is False
    assert "Content Security Policy" in seen.console[0]


@pytest.mark.parametrize("width", [390, 820, 1600])
def test_the_page_fits_its_screen(visit: Open, report: Path, width: int) -> None:
    page = visit(report, width=width).page

    assert page.evaluate("document.documentElement.scrollWidth") <= width


@pytest.mark.parametrize("width", [390, 1280])
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_page_is_accessible(visit: Open, report: Path, axe: str, scheme: str, width: int) -> None:
    page = visit(report, width=width, color_scheme=scheme).page

    page.evaluate(axe)
    found = page.evaluate(
        "axe.run({runOnly: ['wcag2a', 'wcag2aa', 'wcag21aa', 'best-practice']})"
        ".then(result => result.violations.flatMap("
        "rule => rule.nodes.map(node => `${rule.id}: ${node.target} ${node.failureSummary}`)))"
    )

    assert found == []

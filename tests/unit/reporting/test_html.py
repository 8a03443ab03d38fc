from __future__ import annotations

import base64
import hashlib
import html
import re
from dataclasses import replace
from html.parser import HTMLParser
from pathlib import Path

import pytest

from pacecar.model.caution import Caution, CautionKind, Statement
from pacecar.model.comparison import Role, Verdict
from pacecar.model.profiles import ProfileKind
from pacecar.model.recording import BuiltSide
from pacecar.reporting.document import Document
from pacecar.reporting.document.build import build_document
from pacecar.reporting.html import _signed_amount, breakable, frame_place, in_order, render, within_noise, write_report
from pacecar.reporting.words import WORDS
from support.documents import HOSTILE, Run
from support.findings import cause
from support.recordings import pair


class Page(HTMLParser):
    """The tags, attributes and text of a page, scripts and styles by themselves."""

    def __init__(self, text: str) -> None:
        super().__init__()
        self.tags: list[tuple[str, dict[str, str | None]]] = []
        self.raw: dict[str, list[str]] = {"script": [], "style": []}
        self.text = ""
        self._within = ""
        self.feed(text)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, dict(attrs)))
        self._within = tag

    def handle_endtag(self, tag: str) -> None:
        self._within = ""

    def handle_data(self, data: str) -> None:
        if self._within in self.raw:
            self.raw[self._within].append(data)
        else:
            self.text += data

    @property
    def ids(self) -> set[str | None]:
        return {attributes["id"] for _, attributes in self.tags if "id" in attributes}


@pytest.fixture(scope="module")
def page(document: Document) -> Page:
    return Page(render(document))


def test_the_verdict_is_plain_text(page: Page, document: Document) -> None:
    assert document.headline in page.text
    assert "12.4% slower, at or beyond the budget of 5%" in page.text
    assert "JacksonEncoder.write +0.41 CPU ms per request on http-worker" in page.text
    assert "Steal of 11 % in windows 4 to 6" in page.text
    assert "pacecar compare --baseline main --candidate faster-json --pairs 6" in page.text


def test_what_was_started_for_a_fork_stands_beside_its_pair(page: Page) -> None:
    assert "CPU time beside the baseline, in its windows: store 0.40 s." in page.text
    assert "CPU time beside the candidate, in its windows: store 0.40 s." in page.text


def test_the_policy_names_exactly_the_style_and_script_that_are_there(page: Page) -> None:
    policy = next(
        attributes["content"] for tag, attributes in page.tags if tag == "meta" and "http-equiv" in attributes
    )
    digests = [
        base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
        for text in (page.raw["style"][0], page.raw["script"][-1])
    ]

    assert policy == (
        f"default-src 'none'; style-src 'sha256-{digests[0]}'; script-src 'sha256-{digests[1]}'; "
        "img-src data:; base-uri 'none'; form-action 'none'"
    )


def test_nothing_is_asked_of_a_network(page: Page) -> None:
    fetched = [
        value
        for _, attributes in page.tags
        for name, value in attributes.items()
        if name in ("src", "href", "srcset", "action", "data") and value
    ]

    assert [value for value in fetched if not value.startswith(("#", "data:"))] == []
    assert not re.search(r"url\((?!data:)|@import", "".join(page.raw["style"]))


def test_no_inline_style_that_the_policy_would_refuse(page: Page) -> None:
    assert [
        tag for tag, attributes in page.tags if "style" in attributes or any(k.startswith("on") for k in attributes)
    ] == []


def test_every_section_has_a_heading_of_its_own(page: Page) -> None:
    labelled = [attributes["aria-labelledby"] for tag, attributes in page.tags if "aria-labelledby" in attributes]

    assert set(labelled) <= page.ids
    sections = [each for each in labelled if each != "flames-title"] + ["flames-title"]  # the canvas is called so too
    assert len(sections) == len(set(sections)) == 12


def test_the_verdict_comes_first_then_pictures_then_tables(document: Document) -> None:
    text = render(document)
    parts = ["headline", "bounds", "causes", "curves", "flames", "frames", "metrics", "pairs", "provenance", "words"]

    assert [text.index(f'id="{part}"') for part in parts] == sorted(text.index(f'id="{part}"') for part in parts)
    assert text.index("Likely cause") < text.index('id="bounds"') < text.index('id="curves"')


def test_what_more_pairs_would_decide_stands_with_the_command_that_measures_them(document: Document) -> None:
    text = Page(render(replace(document, verdict=Verdict.INCONCLUSIVE))).text
    command = "pacecar compare --baseline main --candidate faster-json --pairs 9"
    assert f"To decide it, measure more pairs: {command}" in text
    assert "To decide it" not in Page(render(document)).text


def test_where_no_cause_is_certain_none_is_called_likely(document: Document) -> None:
    without = replace(document, findings=(replace(document.findings[0], causes=()),))
    text = Page(render(without)).text
    assert "No cause is certain." in text
    assert "Likely cause" not in text


def test_a_part_that_nobody_saw_claims_no_interval(document: Document) -> None:
    first, *parts = document.ledgers[0].entries
    nothing = replace(first, part="waiting for time to pass", baseline=0.0, candidate=0.0, change=0.0)
    nothing = replace(nothing, low=None, high=None)
    text = Page(render(replace(document, ledgers=(replace(document.ledgers[0], entries=(nothing, *parts)),)))).text
    assert "[–, –]" not in text


def test_every_verdict_and_role_leads_to_its_meaning(page: Page) -> None:
    links = {attributes["href"] for tag, attributes in page.tags if tag == "a" and attributes.get("class") != "skip"}

    assert {"#word-regressed", "#word-passed", "#word-inconclusive"} <= links
    assert {str(link).removeprefix("#") for link in links} <= page.ids
    badges = [attributes for tag, attributes in page.tags if "badge" in str(attributes.get("class")).split()]
    assert len(badges) > 20
    assert all(attributes.get("title") for attributes in badges)
    assert WORDS["tripwire"].meaning in [attributes.get("title") for _, attributes in page.tags]


def test_what_is_ruled_out_is_told_in_words_too(quiet: Document) -> None:
    page = Page(render(quiet))

    (first, *_) = [attributes["aria-label"] for tag, attributes in page.tags if attributes.get("role") == "img"]
    assert first == (
        "estimate +3.0% [-18.0, +24.0], more than 24% worse is ruled out, budget 10%, to be ruled out: 15%"
    )
    assert "weak" in page.text


def test_an_undecided_metric_stands_with_its_reason(document: Document) -> None:
    text = Page(render(document)).text
    strip = text[text.index("tail latency") : text.index("95% interval")]

    assert "about 4 more pairs would settle it" in strip


def test_a_row_does_not_say_its_change_again(document: Document) -> None:
    undecided = [
        replace(metric, reason="+9.4% [-1.8%, +20.6%] may be chance; more than 21% worse is ruled out")
        for metric in document.judgements
        if metric.verdict is Verdict.INCONCLUSIVE and metric.role is Role.GUARANTEED
    ]
    text = render(replace(document, judgements=tuple(undecided)))

    assert "may be chance" in text
    assert "+9.4% [-1.8%, +20.6%]" not in text


def test_the_flame_graph_leads_to_the_frame_of_the_leading_cause(document: Document) -> None:
    first, *others = document.findings
    scope = replace(first.causes[0].scope, frame='shop.Orders.<list>"')
    told = replace(first, causes=(replace(first.causes[0], scope=scope),))
    assert 'data-cause="shop.Orders.&lt;list&gt;&#34;"' in render(replace(document, findings=(told, *others)))
    assert "data-cause=" not in render(replace(document, findings=())).partition("<script>")[0]


@pytest.mark.parametrize(
    ("value", "unit", "shown"),
    [(-0.0004, "ms", "0.000"), (0.0, "B", "0 B"), (-0.0006, "ms", "−0.001"), (0.4, "ms", "+0.400"), (None, "ms", "–")],
)
def test_what_rounds_to_nothing_has_no_sign(value: float | None, unit: str, shown: str) -> None:
    assert _signed_amount(value, unit) == shown


def test_the_flame_graph_of_the_leading_cause_is_shown_first(document: Document) -> None:
    assert document.profiles is not None
    first = document.findings[0]
    flames = [replace(document.profiles.flames[0], event=kind) for kind in ProfileKind]
    for kind in ProfileKind:
        facts = tuple(replace(fact, quantity=kind.quantity) for fact in first.causes[0].facts)
        told = replace(first, causes=(replace(first.causes[0], facts=facts),))
        shown = replace(document, findings=(told,), profiles=replace(document.profiles, flames=tuple(flames)))
        assert re.findall(r'"event":"(\w+)","quantum"', render(shown))[0] == kind


def test_warnings_beyond_three_are_folded(document: Document) -> None:
    text = render(replace(document, warnings=tuple(f"Number {number}." for number in range(5))))

    assert text.index("Number 2.") < text.index("<summary>and 2 more</summary>") < text.index("Number 3.")


def test_kinds_without_blame_are_one_line_and_noise_waits_for_a_search(document: Document) -> None:
    assert document.profiles is not None
    innocent = tuple(
        replace(frame, blamed=frame.blamed and frame.event is ProfileKind.CPU) for frame in document.profiles.frames
    )
    text = render(replace(document, profiles=replace(document.profiles, frames=innocent)))

    assert "<summary>No frame is to blame in: Allocated per request</summary>" in text
    rows = re.findall(r'<tr data-frame="[^"]*" class="(\w+)"( hidden)?>', text.partition('id="frames-alloc"')[0])
    assert [kind for kind, hidden in rows if not hidden] == ["more", "less", "more", "more", "less"]
    assert {kind for kind, hidden in rows if hidden} == {"noise"}
    assert text.index('id="frames-alloc"') > text.index('id="frames-blameless"')


@pytest.mark.parametrize(
    ("name", "broken"),
    [
        ("com.example.Orders.list", "com.<wbr>example.<wbr>Orders.<wbr>list"),
        ("Orders$1.lambda$list$0", "Orders$1.<wbr>lambda$list$0"),
        ("GET /orders/{id}", "GET /orders/<wbr>{id}"),
        ("it took 12.4% more, e.g. 3.", "it took 12.4% more, e.<wbr>g. 3."),
        ("a.<b>&.c", "a.<wbr>&lt;b&gt;&amp;.c"),
        ("", ""),
    ],
)
def test_long_names_break_at_their_joints(name: str, broken: str) -> None:
    assert breakable(name) == broken


def test_what_is_known_of_the_noise_stands_with_the_provenance(document: Document) -> None:
    assert "First run of this design here" in Page(render(document)).text
    assert "Noise of 5 earlier runs was used." in Page(render(replace(document, earlier_runs=5))).text
    assert "earlier run" not in Page(render(replace(document, earlier_runs=None))).text.partition("What the words")[0]
    assert "CPU time beside one of them." in Page(render(replace(document, pace_apart=0.2))).text
    assert "beside one of them" not in Page(render(document)).text


def test_hostile_names_are_text_everywhere(example: Run) -> None:
    comparison = example.comparison
    judged = replace(
        comparison.judgements[0],
        reason=HOSTILE,
        metric=replace(comparison.judgements[0].metric, endpoint=HOSTILE),
    )
    hostile = replace(
        comparison,
        reason=HOSTILE,
        judgements=(judged,),
        findings=(replace(comparison.findings[0], judgement=judged, causes=(cause(HOSTILE),)),),
        frames=(
            replace(
                comparison.frames[0],
                frame=HOSTILE,
                pool=HOSTILE,
                endpoints=(HOSTILE,),
                come_from=HOSTILE,
                below=((HOSTILE, 0.1),),
            ),
        ),
        voided={3: HOSTILE},
        cautions=(Caution(kind=CautionKind.FAILING_REQUESTS, statement=Statement(words=(HOSTILE,))),),
    )
    build = BuiltSide(label=HOSTILE, kind=HOSTILE, value=HOSTILE, commit=HOSTILE, artifact_sha256=HOSTILE)
    manifest = replace(
        example.manifest,
        run_id=HOSTILE,
        builds=dict.fromkeys(example.manifest.builds, build),
        tools={HOSTILE: HOSTILE},
        repeat=("pacecar", HOSTILE),
    )
    own = pair(1)
    for fork in own.forks.values():
        fork.tables["requests"].loc[:50, "endpoint"] = HOSTILE + "\u2028"

    text = render(build_document(hostile, manifest, None, [own]))

    hostile_page = Page(text)
    assert not [tag for tag, _ in hostile_page.tags if tag == "img"]
    assert HOSTILE not in text
    assert html.escape(HOSTILE) in text
    assert len(hostile_page.raw["script"]) == 3
    assert "\u2028" not in text


def test_a_slow_request_stands_beside_a_usual_one(page: Page, document: Document) -> None:
    assert document.profiles is not None
    (both,) = document.profiles.requests
    assert (both.endpoint, both.usual.took_ms, both.slowest.took_ms) == ("GET /orders", 6.3, 48.0)
    assert "GET /orders: usually 6.3 ms, at worst 48 ms" in re.sub(r"\s+", " ", page.text)
    assert "on a CPU in java.lang.String.valueOf" in page.text
    assert page.text.count("SELECT orders.line") == 2


def test_what_happened_during_a_request_is_told_in_order(document: Document) -> None:
    assert document.profiles is not None
    slowest = document.profiles.requests[0].slowest
    known = [event.at_ms for event in in_order(slowest) if event.at_ms is not None]
    assert known == sorted(known)
    blurred = replace(slowest, events=(replace(slowest.events[0], at_ms=None), *slowest.events[1:]))
    assert in_order(blurred)[-1].at_ms is None


def test_empty_parts_are_left_out(document: Document) -> None:
    bare = replace(
        document,
        verdict=Verdict.INVALID,
        headline="No pair could be measured.",
        judgements=(),
        findings=(),
        ledgers=(),
        frames=(),
        pairs=(),
        warnings=(),
        profiles=None,
    )

    bare_page = Page(render(bare))

    assert "No pair could be measured." in bare_page.text
    assert {"bounds", "causes", "curves", "metrics", "pairs", "timeline", "curves-data"}.isdisjoint(bare_page.ids)


def test_without_profiles_the_documents_own_frames_are_shown(document: Document) -> None:
    page = Page(render(replace(document, profiles=None)))

    assert "JacksonEncoder.write" in page.text
    assert "curves" not in page.ids


def test_the_file_is_written_whole(document: Document, tmp_path: Path) -> None:
    write_report(document, tmp_path / "report.html")

    assert (tmp_path / "report.html").read_text() == render(document)
    assert [path.name for path in tmp_path.iterdir()] == ["report.html"]


@pytest.mark.parametrize(
    ("frame", "place"),
    [
        ("com.example.Orders.list", ("com.example.", "Orders.list")),
        ("Orders.list", ("", "Orders.list")),
        ("[libc.so.6]", ("[libc.", "so.6]")),
        ("start_thread", ("", "start_thread")),
        ("", ("", "")),
    ],
)
def test_a_frame_is_split_into_package_and_method(frame: str, place: tuple[str, str]) -> None:
    assert frame_place(frame) == place


def test_a_frame_is_noise_when_its_interval_reaches_zero(document: Document) -> None:
    cause = document.frames[0]

    assert not within_noise(cause)
    assert within_noise(replace(cause, low=-0.1))
    assert within_noise(replace(cause, low=None))
    assert not within_noise(replace(cause, low=None, descriptive=True))

"""The builds of the sample services that differ: every patch applies, and its expectation speaks of what is there."""

import shutil
import subprocess
import tomllib
from pathlib import Path
from typing import Any

import pytest

from benchmarks.cases import CASES, table
from benchmarks.sample.expectations import Series
from benchmarks.sample.expected import REVERSED, expected_of
from benchmarks.sample.whole import Target
from pacecar.analysis.causes.registry import all_kinds
from pacecar.model.catalogue import METRICS
from pacecar.model.comparison import Verdict
from support.checkout import CHECKOUT

TARGETS = CHECKOUT / "targets"
PATCHES = sorted(TARGETS.glob("*/builds/*.patch"))
EXPECTATIONS = sorted(TARGETS.glob("*/builds/*.toml"))

KINDS = {kind.name for kind in all_kinds()}
# Where each target's load comes from: its endpoints, and which code is its own.
CONFIGURATIONS = {
    "orders": CHECKOUT / "pacecar.toml",
    "basket": TARGETS / "basket" / "pacecar.toml",
    "reporter": TARGETS / "reporter" / "pacecar.toml",
    "packer": TARGETS / "packer" / "pacecar.toml",
    "afterburner": TARGETS / "afterburner" / "pacecar.toml",
    "ledgerdb": TARGETS / "ledgerdb" / "pacecar.toml",
}


def read(path: Path) -> dict[str, Any]:
    return tomllib.loads(path.read_text())


ENDPOINTS = {
    target: {endpoint["name"] for endpoint in read(path)["scenario"]["endpoints"]}
    for target, path in CONFIGURATIONS.items()
}
APPLICATIONS = {target: tuple(read(path)["target"]["application"]) for target, path in CONFIGURATIONS.items()}


@pytest.mark.parametrize("case", CASES.values(), ids=CASES.keys())
def test_the_page_of_a_case_shows_what_was_recorded(case: Target) -> None:
    recorded = Series(target=case)
    assert set(recorded.results) <= set(recorded.names)
    page = (CHECKOUT / "docs" / "cases" / f"{case.name}.md").read_text()
    assert table(recorded) in page.replace("\\_", "_")  # as Markdown has it where two follow each other


def test_the_way_back_expects_the_mirror_image() -> None:
    (there, back) = (expected_of(CASES["basket"], f"seven-round-trips{way}") for way in ("", REVERSED))
    assert (there["verdict"], back["verdict"]) == ("regressed", "improved")
    assert back["root"] == there["root"]
    for move, mirrored in zip(there["moves"], back["moves"], strict=True):
        assert (move["direction"], mirrored["direction"]) == ("up", "down")
        assert (1 + move["at_least"]) * (1 - mirrored["at_least"]) == pytest.approx(1)


def target_of(path: Path) -> str:
    return path.parent.parent.name


def named(path: Path) -> str:
    return f"{target_of(path)}-{path.stem}"


# Outside the checkout: inside one, git takes a patch's paths from the checkout's root, and applies nothing.
def sources_for(path: Path, folder: Path) -> Path:
    copy = folder / target_of(path)
    shutil.copytree(path.parent.parent, copy, ignore=shutil.ignore_patterns("target", "builds"))
    return copy


@pytest.mark.parametrize("patch", PATCHES, ids=named)
def test_a_patch_applies_and_changes_the_sources(patch: Path, tmp_path: Path) -> None:
    sources = sources_for(patch, tmp_path)
    before = files(sources)
    checked = git_apply(patch, sources, "--check")
    assert checked.returncode == 0, checked.stderr
    assert git_apply(patch, sources).returncode == 0
    assert files(sources) != before


@pytest.mark.parametrize("patch", PATCHES, ids=named)
def test_a_patch_opens_with_a_message(patch: Path) -> None:
    title, blank, *rest = patch.read_text().splitlines()
    assert 0 < len(title) <= 72
    assert blank == ""
    assert any(line.startswith("diff --git a/") for line in rest)


def test_patches_and_expectations_come_in_pairs() -> None:
    assert {target_of(path) for path in PATCHES} == set(CONFIGURATIONS)
    assert {path.with_suffix("") for path in EXPECTATIONS} == {path.with_suffix("") for path in PATCHES}


QUICK = [path for path in EXPECTATIONS if "quick" in read(path)]


@pytest.mark.parametrize("path", QUICK, ids=named)
def test_what_the_quick_tier_must_find_is_complete(path: Path) -> None:
    expectation = read(path)["quick"]
    assert set(expectation) <= {"verdict", "moves", "root", "blame"}
    assert ("root" in expectation) is (Verdict(expectation["verdict"]) is Verdict.REGRESSED)
    assert expectation.get("root", {"kind": "more-calls"})["kind"] in KINDS
    for move in expectation.get("moves", []):
        assert move["metric"] in {"allocation", "statements"}
        assert move["endpoint"] in ENDPOINTS[target_of(path)]


@pytest.mark.parametrize("path", EXPECTATIONS, ids=named)
def test_an_expectation_is_complete(path: Path) -> None:
    expectation = read(path)
    assert set(expectation) <= {"description", "verdict", "moves", "root", "blame", "innocent", "quick"}
    assert Verdict(expectation["verdict"]) in (Verdict.REGRESSED, Verdict.IMPROVED, Verdict.PASSED)
    assert expectation["description"].strip()
    assert expectation["innocent"]
    for move in expectation.get("moves", []):
        assert set(move) == {"metric", "endpoint", "direction", "at_least"}
        assert move["metric"] in METRICS
        assert move["endpoint"] in ENDPOINTS[target_of(path)] | {""}
        assert move["endpoint"] == "" or METRICS[move["metric"]].per_endpoint
        assert move["direction"] in {"up", "down"}
        assert 0 < move["at_least"] < (1 if move["direction"] == "down" else float("inf"))


@pytest.mark.parametrize("path", EXPECTATIONS, ids=named)
def test_a_build_that_changes_something_names_its_root(path: Path) -> None:
    expectation = read(path)
    # What little a request allocates more is counted exactly, and too little for samples to say where.
    moves = [(move["metric"], move["endpoint"]) for move in expectation["moves"]]
    only_counted = bool(moves) and all(metric == "allocation" and endpoint for metric, endpoint in moves)
    assert ("root" in expectation) is (expectation["verdict"] != Verdict.PASSED and not only_counted)
    root = expectation.get("root", {"kind": "hot-frame"})
    assert root["kind"] in KINDS
    assert set(root) <= {"kind", "frame", "pool", "series"}
    assert root.get("frame") not in expectation["innocent"]


@pytest.mark.parametrize("path", EXPECTATIONS, ids=named)
def test_nothing_is_both_expected_and_innocent(path: Path) -> None:
    expectation = read(path)
    moved = {f"{move['endpoint']} {move['metric']}".strip() for move in expectation.get("moves", [])}
    assert not (moved | set(expectation["blame"])) & set(expectation["innocent"])


@pytest.mark.parametrize("path", EXPECTATIONS, ids=named)
def test_every_named_frame_is_in_the_patched_sources(path: Path, tmp_path: Path) -> None:
    expectation = read(path)
    sources = sources_for(path, tmp_path)
    assert git_apply(path.with_suffix(".patch"), sources).returncode == 0
    root = [expectation["root"]["frame"]] if "frame" in expectation.get("root", {}) else []
    for entry in root + expectation["blame"] + [entry for entry in expectation["innocent"] if is_frame(path, entry)]:
        package_and_class, method = entry.rsplit(".", 1)
        outermost = package_and_class.partition("$")[0]
        source = sources / "src/main/java" / (outermost.replace(".", "/") + ".java")
        assert source.is_file(), entry
        assert f" {method}(" in source.read_text(), entry


@pytest.mark.parametrize("path", EXPECTATIONS, ids=named)
def test_what_is_innocent_and_no_frame_is_a_metric(path: Path) -> None:
    for entry in read(path)["innocent"]:
        if not is_frame(path, entry):
            *endpoint, metric = entry.rsplit(" ", 1)
            assert metric in METRICS, entry
            assert not endpoint or METRICS[metric].per_endpoint, entry
            assert not endpoint or endpoint[0] in ENDPOINTS[target_of(path)], entry


def is_frame(path: Path, entry: str) -> bool:
    return entry.startswith(APPLICATIONS[target_of(path)])


def git_apply(patch: Path, directory: Path, *options: str) -> subprocess.CompletedProcess[str]:
    command = ["git", "apply", *options, str(patch)]
    return subprocess.run(command, cwd=directory, capture_output=True, text=True, timeout=30)


def files(sources: Path) -> dict[str, str]:
    """What a jar is made from: a build may do no more than take another version of a library."""
    made_from = [sources / "pom.xml", *(sources / "src").rglob("*")]
    return {str(path.relative_to(sources)): path.read_text() for path in made_from if path.is_file()}

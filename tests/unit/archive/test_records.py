"""Any manifest and any pair record survives the way to JSON and back."""

from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import TypeAdapter

from pacecar.archive import RunError, records
from pacecar.model.experiment import Budget, Side
from pacecar.model.options import PlanOptions, RunOptions, Terms
from pacecar.model.recording import ForkRecord, Manifest, PairRecord, ProfileQuality, Window

# JSON has no word for NaN or infinity, and no field of a record may be either.
FINITE = st.floats(allow_nan=False, allow_infinity=False)
QUALITIES = st.builds(ProfileQuality, sampled_cpu_s=FINITE, accounted_cpu_s=FINITE)
FORKS = st.builds(ForkRecord, ready_s=FINITE, profile=st.none() | QUALITIES)
PAIRS = st.builds(PairRecord, forks=st.dictionaries(st.sampled_from(Side), FORKS), notes=st.from_type(tuple[str, ...]))
AMOUNTS = st.none() | FINITE
BUDGETS = st.builds(Budget, relative=AMOUNTS, absolute=AMOUNTS)
TERMS = st.builds(Terms, budgets=st.none() | st.lists(BUDGETS, max_size=3).map(tuple))
OPTIONS = st.builds(RunOptions, plan=st.builds(PlanOptions), settings=st.from_type(dict[str, str]), terms=TERMS)
MANIFESTS = st.builds(Manifest, phases_s=st.dictionaries(st.text(), FINITE), options=OPTIONS)


@given(PAIRS)
def test_pair_records(record: PairRecord) -> None:
    text = records.to_json(records.pair_adapter(), record)
    assert records.pair_adapter().validate_json(text, strict=True) == record


def test_a_pair_of_before_there_were_blocks_has_none() -> None:
    record = PairRecord(number=1, first=Side.BASELINE, windows=(), forks={})
    document = json.loads(records.to_json(records.pair_adapter(), record))
    assert document.pop("blocks") == []
    assert records.pair_in(json.dumps(document).encode(), where="pair.json") == record


@given(MANIFESTS)
def test_manifests(manifest: Manifest) -> None:
    text = records.to_json(records.manifest_adapter(), manifest)
    assert records.manifest_adapter().validate_json(text, strict=True) == manifest


def test_a_name_of_a_file_that_is_no_text_is_kept_as_far_as_it_is_one() -> None:
    adapter = TypeAdapter(dict[str, tuple[str, float]])
    kept = records.to_json(adapter, {"caf": ("b\udcff", 0.5)})
    assert records.validated(adapter, kept, where="here") == {"caf": ("b?", 0.5)}


@pytest.mark.parametrize("amount", ["1" * 400, "-" + "9" * 30, str(2**63), "1e400", "-1e999", "NaN", "Infinity"])
def test_a_number_that_nothing_can_hold_is_refused_before_it_is_calculated_with(amount: str) -> None:
    adapter = TypeAdapter(dict[str, float | int])
    with pytest.raises(RunError, match="here is damaged: it holds a number"):
        records.validated(adapter, f'{{"a": {amount}}}'.encode(), where="here")


@pytest.mark.parametrize("amount", [str(2**63 - 1), str(-(2**63)), "1e308", "5e-324", "0"])
def test_the_largest_and_smallest_numbers_are_read(amount: str) -> None:
    adapter = TypeAdapter(dict[str, float | int])
    assert records.validated(adapter, f'{{"a": {amount}}}'.encode(), where="here") == {"a": json.loads(amount)}


@pytest.mark.parametrize(
    "second",
    [
        Window(index=-1, side=Side.CANDIDATE, start_ns=0, end_ns=20),
        Window(index=2**31, side=Side.CANDIDATE, start_ns=0, end_ns=20),
        Window(index=0, side=Side.CANDIDATE, start_ns=0, end_ns=20),
        Window(index=1, side=Side.CANDIDATE, start_ns=20, end_ns=20),
    ],
)
def test_windows_that_cannot_have_been_are_refused(second: Window) -> None:
    first = Window(index=0, side=Side.BASELINE, start_ns=0, end_ns=20)
    for windows, blocks in (((first, second), ()), ((first,), (second,))):
        record = PairRecord(number=1, first=Side.BASELINE, windows=windows, blocks=blocks, forks={})
        with pytest.raises(RunError, match=r"pair\.json is damaged: windows: "):
            records.pair_in(records.to_json(records.pair_adapter(), record), where="pair.json")

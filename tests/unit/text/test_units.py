"""Quantities: what people write, and what they read."""

import contextlib
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pacecar.text import units


@pytest.mark.parametrize(
    ("text", "seconds"),
    [("20 s", 20), ("250 ms", 0.25), ("2min", 120), ("  1.5 h ", 5400), ("5 µs", 5e-6), ("5 μs", 5e-6), ("5 us", 5e-6)],
)
def test_durations_are_seconds(text, seconds):
    assert units.parse_duration_s(text) == pytest.approx(seconds)


@pytest.mark.parametrize(
    "text", ["20", "s", "", "20 parsecs", "20 s\n5", "\x7f", "1e3 s", "٣ s", "nan s", "20 s " + " " * 99]
)
def test_other_durations_are_refused_with_an_example(text):
    with pytest.raises(ValueError, match='is not a duration; write it as "20 ms" or "20 s" or') as caught:
        units.parse_duration_s(text)
    assert str(caught.value).isprintable()


def test_rates_sizes_and_percentages():
    assert units.parse_rate_per_s("150/s") == 150
    assert units.parse_rate_per_s("90 /min") == pytest.approx(1.5)
    assert units.parse_bytes("512 KiB") == 524_288
    assert units.parse_bytes("10 kB") == 10_000
    assert units.parse_percentage("12.5%") == pytest.approx(0.125)


@pytest.mark.parametrize(
    ("text", "unit", "value"),
    [
        ("0.2 s", "ms", 200),
        ("3 ms", "s", 0.003),
        ("5 us", "ns", 5000),
        ("1 MiB", "B", 1_048_576),
        ("2 %", "%", 2),
        ("40", "1", 40),
    ],
)
def test_a_quantity_is_expressed_in_the_unit_asked_for(text, unit, value):
    assert units.parse_quantity(text, unit) == pytest.approx(value)


@pytest.mark.parametrize(("text", "unit"), [("40 threads", "1"), ("200", "ms"), ("200 ms", "B"), ("2", "%")])
def test_a_quantity_of_another_kind_is_refused(text, unit):
    with pytest.raises(ValueError, match="write it as"):
        units.parse_quantity(text, unit)


def test_a_plain_number_needs_no_unit_in_the_example():
    with pytest.raises(ValueError, match=r'^"x" is not a plain number; write it as "20"$'):
        units.parse_quantity("x", "1")


@pytest.mark.parametrize(
    ("seconds", "text"),
    [
        (0.38, "380 ms"),
        (0.9996, "1 s"),
        (42.2, "42 s"),
        (59.7, "1 min 00 s"),
        (185, "3 min 05 s"),
        (7260, "2 h 01 min"),
    ],
)
def test_durations_are_printed_in_the_largest_fitting_unit(seconds, text):
    assert units.format_duration(seconds) == text


@pytest.mark.parametrize(
    ("percent", "text"), [(0.0, "0%"), (0.4512, "0.45%"), (4.0, "4%"), (9.96, "10%"), (12.4, "12%"), (99.97, "100%")]
)
def test_shares_have_two_digits_and_no_exponent(percent, text):
    assert units.format_share(percent) == text


@pytest.mark.parametrize(
    ("fraction", "text"), [(0.124, "+12.4%"), (-0.003, "-0.3%"), (1.4, "+140%"), (0.0, "+0.0%"), (-2, "-200%")]
)
def test_changes_carry_their_sign(fraction, text):
    assert units.format_change(fraction) == text


@pytest.mark.parametrize(
    ("value", "unit", "text"),
    [
        (18.3, "ms", "18.3 ms"),
        (999.7, "ms", "1000 ms"),
        (9999.7, "ms", "10000 ms"),
        (12345.6, "ms", "12346 ms"),
        (0.0123, "ms", "0.0123 ms"),
        (1e-9, "ms", "0 ms"),
        (1.2e6, "B", "1.2 MB"),
        (999_999, "B", "1000 kB"),
        (999.6, "B", "1 kB"),
        (512, "B", "512 B"),
        (0.4, "%", "0.4 %"),
        (100, "1", "100"),
        (0, "1", "0"),
        (math.nan, "ms", "nan ms"),
    ],
)
def test_quantities_are_printed_without_exponents(value, unit, text):
    assert units.format_quantity(value, unit) == text


@given(st.floats(min_value=1e-3, max_value=1e9))
def test_three_digits_survive_printing(value):
    number = float(units.format_quantity(value, "1"))
    assert number == pytest.approx(value, rel=6e-3)


@pytest.mark.parametrize(
    ("amount", "unit", "text"),
    [
        (0.0201, None, "2.1%"),
        (0.075, None, "7.5%"),
        (0.15, None, "15%"),
        (0.1501, None, "16%"),
        (0.0003101, None, "0.032%"),
        (1.234, None, "130%"),
        (4.3239137070661475e-08, None, "4.4e-06%"),
        (1e300, None, "1e+302"),
        (0.031, "%", "0.031 points"),
        (12.1, "%", "13 points"),
        (3.02, "ms", "3.1 ms"),
        (1234.0, "B", "1.3 kB"),
        (2.0, "1", "2"),
    ],
)
def test_bounds_are_rounded_up(amount, unit, text):
    assert units.format_bound(amount, unit) == text


@given(st.floats(min_value=1e-9, max_value=1e9))
def test_a_bound_never_says_less_than_it_is(amount):
    shown = float(units.format_bound(amount, None).rstrip("%")) / 100
    assert shown >= amount * (1 - 1e-8)
    assert shown <= max(amount * 1.1 * (1 + 1e-8), 1.1e-8)


@given(st.floats(), st.floats())
def test_what_is_rounded_like_another_is_off_by_less_than_its_third_digit(value, largest):
    found = units.rounded_like(value, largest)
    if math.isfinite(value) and math.isfinite(largest):
        assert abs(found - value) <= max(abs(largest) * 0.0051, 1e-300)
    else:
        assert found == value or math.isnan(value)


@given(st.text())
def test_any_text_is_a_quantity_or_a_value_error(text):
    with contextlib.suppress(ValueError):
        assert math.isfinite(units.parse_quantity(text, "ms"))

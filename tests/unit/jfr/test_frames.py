from __future__ import annotations

import pytest

from pacecar.jfr.frames import frame_text, stable_class


@pytest.mark.parametrize(
    ("class_name", "method", "text"),
    [
        ("shop/orders/Pricing", "quote", "shop.orders.Pricing.quote"),
        ("Main", "main", "Main.main"),
        ("shop/Cart$Line", "<init>", "shop.Cart$Line.<init>"),
        ("libjvm.so", "G1RemSet::refine", "libjvm.so.G1RemSet::refine"),
        ("/opt/jdk/bin/java", "JavaMain", "java.JavaMain"),
        ("", "clock_gettime", "clock_gettime"),
        ("", "skipped", "[skipped]"),
        ("", "break_not_walkable", "[break_not_walkable]"),
        ("", "truncated", "[truncated]"),
        ("libx.so", "skipped", "libx.so.skipped"),
        ("", "", "[unknown]"),
        ("a/B\n", "c\u2028d", "a.B?.c?d"),
    ],
)
def test_text(class_name: str, method: str, text: str) -> None:
    assert frame_text(class_name, method) == text


@pytest.mark.parametrize(
    ("generated", "stable"),
    [
        ("shop/Cart$$Lambda$123/0x00007f00c800a000", "shop/Cart$$Lambda"),
        ("shop/Cart$$Lambda/0x00007f00c800a000", "shop/Cart$$Lambda"),
        ("shop/Cart$$Lambda$14.0x0000000800c03000", "shop/Cart$$Lambda"),
        ("shop/Cart$$Lambda$7/1995", "shop/Cart$$Lambda"),
        ("shop/Cart$$Lambda$7", "shop/Cart$$Lambda"),
        ("java/lang/invoke/LambdaForm$MH/0x0000000800c05000", "java/lang/invoke/LambdaForm$MH"),
        ("shop/Lambda", "shop/Lambda"),
        ("shop/Cart", "shop/Cart"),
    ],
)
def test_generated_names_are_stable(generated: str, stable: str) -> None:
    assert stable_class(generated) == stable


def test_names_are_short() -> None:
    assert len(frame_text("a" * 10_000, "b")) == 300

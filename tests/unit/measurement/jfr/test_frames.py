from __future__ import annotations

import pytest

from pacecar.measurement.jfr.frames import frame_text, stable_class, stable_method


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
        ("shop/Orders$$EnhancerBySpringCGLIB$$1a2b3c4d", "shop/Orders$$EnhancerBySpringCGLIB"),
        ("shop/Orders$$SpringCGLIB$$0", "shop/Orders$$SpringCGLIB"),
        ("shop/Orders$$FastClassBySpringCGLIB$$77fe", "shop/Orders$$FastClassBySpringCGLIB"),
        ("jdk/proxy2/$Proxy107", "jdk/proxy/$Proxy"),
        ("com/sun/proxy/$Proxy12", "jdk/proxy/$Proxy"),
        ("shop/$Proxy3", "shop/$Proxy"),
        ("jdk/internal/reflect/GeneratedMethodAccessor41", "jdk/internal/reflect/GeneratedMethodAccessor"),
        ("java/lang/invoke/LambdaForm$MH12", "java/lang/invoke/LambdaForm$MH"),
        ("shop/Order$HibernateProxy$n3TzDSrk", "shop/Order$HibernateProxy"),
        ("shop/Order$ByteBuddy$a1B2", "shop/Order$ByteBuddy"),
        ("shop/Order_$$_jvstd3b_0", "shop/Order_$$_jvst"),
        ("shop/Order$Line$1", "shop/Order$Line$1"),
        ("shop/Cart", "shop/Cart"),
    ],
)
def test_generated_names_are_stable(generated: str, stable: str) -> None:
    assert stable_class(generated) == stable


def test_names_are_short() -> None:
    assert len(frame_text("a" * 10_000, "b")) == 300


@pytest.mark.parametrize(
    ("generated", "stable"),
    [
        ("lambda$list$3", "lambda$list"),
        ("lambda$list$0$12", "lambda$list"),
        ("lambda$new$1", "lambda$new"),
        ("$anonfun$list$3", "$anonfun$list"),
        ("$anonfun$list$3$adapted", "$anonfun$list"),
        ("list$lambda$3", "list$lambda"),
        ("list$lambda-3", "list$lambda"),
        ("list$lambda$3$lambda$0", "list$lambda$lambda"),
        ("access$000", "access$000"),
        ("list", "list"),
    ],
)
def test_lambdas_lose_their_place_in_the_class(generated: str, stable: str) -> None:
    assert stable_method(generated) == stable

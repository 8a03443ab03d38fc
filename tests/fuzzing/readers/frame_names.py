"""Names of classes and methods, as in a chunk's pools: the class, a zero byte, the method."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.measurement.jfr.frames import frame_text, is_note


def parse(data: bytes) -> None:
    owner, _, method = data.decode("utf-8", "replace").partition("\0")
    is_note(owner, method)
    text = frame_text(owner, method)
    assert len(text) <= 300
    assert "\n" not in text


def seeds() -> Iterator[bytes]:
    for owner, method in (
        ("shop/Cart$$Lambda$123/0x00007f00c800a000", "lambda$list$0$12"),
        ("shop/Orders$$EnhancerBySpringCGLIB$$1a2b3c4d", "$anonfun$list$3"),
        ("jdk/proxy2/$Proxy107", "<init>"),
        ("jdk/internal/reflect/GeneratedMethodAccessor41", "invoke"),
        ("java/lang/invoke/LambdaForm$MH12", "x"),
        ("shop/Order$HibernateProxy$n3TzDSrk", "y"),
        ("shop/Order_$$_jvstd3b_0", "z"),
        ("/opt/jdk/lib/libjvm.so", "G1RemSet::refine"),
        ("", "break_not_walkable"),
    ):
        yield f"{owner}\0{method}".encode()

"""Names of objects in a store, one per line."""

from __future__ import annotations

from collections.abc import Iterator

from pacecar.archive.names import BuildName, NoiseName, PromotionName, RunName, escaped, unescaped


def parse(data: bytes) -> None:
    for line in data.decode("utf-8", "surrogateescape").split("\n"):
        for kind in (RunName, PromotionName, BuildName, NoiseName):
            if name := kind.read(line):
                str(name)
        assert unescaped(escaped(text := line.encode("utf-8", "replace").decode(), most=10**6)) == text
        unescaped(line)


def seeds() -> Iterator[bytes]:
    yield b"20250301-101500-9f3a.paired.complete.4.20476250." + b"0" * 64 + b".0.main+slow!2Fx.tar.zst"
    yield b"20250301-101500-123456.20250301-101500-9f3a.4.812." + b"0" * 16 + b".main.json"
    yield b"0" * 64 + b".48211034.0.build"
    yield b"20250301-101500-9f3a.18230." + b"0" * 16 + b".json"

"""What asks for a login before a service answers, as its dependencies tell."""

from __future__ import annotations

import re
from collections.abc import Collection

_SPRING = re.compile(r"spring-(?:boot|cloud)-starter-(?:security|oauth2)[\w-]*|spring-security-[\w-]+", re.ASCII)
_OTHERS = re.compile(
    r"dropwizard-auth|quarkus-(?:oidc|smallrye-jwt|elytron-security)(?:-[\w-]+)?|micronaut-security(?:-[\w-]+)?"
    r"|ktor-server-auth(?:-[\w-]+)?|helidon-(?:microprofile|webserver)-(?:security|oidc|jwt-auth)|vertx-auth-[\w-]+",
    re.ASCII,
)
#: What only asks others, or is there for tests.
_NO_GUARD = ("-client", "-test")
#: Parts of Spring Security that guard nothing by themselves: they hash passwords, for one.
_NO_GUARD_OF_SPRING = ("-test", "-crypto", "-core")


def guard(words: Collection[str]) -> str | None:
    """The name of what asks for logins; None where nothing is known to.

    Args:
        words: names of dependencies.
    """
    if any(_SPRING.fullmatch(word) and not word.endswith(_NO_GUARD_OF_SPRING) for word in words):
        return "Spring Security"
    found = (word for word in words if _OTHERS.fullmatch(word) and not word.endswith(_NO_GUARD))
    return min(found, key=lambda word: (len(word), word), default=None)

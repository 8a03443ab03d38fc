"""Classes that a framework writes at run time in place of somebody's class, and calls instead of it."""

from __future__ import annotations

import functools
import re

#: Spring (CGLIB), Hibernate's lazy entities, Quarkus' interceptors and scopes; their numbers are gone by now
#: (`jfr.frames`). The method follows.
_PROXY = re.compile(r"(?:\$\$\w*CGLIB|\$HibernateProxy|_Subclass|_ClientProxy)(?=\.[^.]+$)")
#: Quarkus writes a class that invokes one method of a resource, and names it after both.
_INVOKER = re.compile(r"\$quarkusrestinvoker\$(\w+)_[0-9a-f]{40}\.invoke$")
_KNOWN = 50_000


@functools.lru_cache(maxsize=_KNOWN)
def stands_for(frame: str) -> str:
    """The frame that somebody wrote: `Orders$$SpringCGLIB.find` is `Orders.find`, what is no proxy is itself.

    The cost of a proxy, such as opening the transaction that its class asks for, is a cost of calling that method.
    """
    return _INVOKER.sub(r".\1", _PROXY.sub("", frame))

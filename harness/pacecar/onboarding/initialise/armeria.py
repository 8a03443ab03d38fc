"""What Armeria serves: `service("/ping", …)`, and annotated classes where `annotatedService("/a", …)` puts them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from itertools import islice

from pacecar.onboarding.initialise.calls import arguments_of_calls
from pacecar.onboarding.initialise.constants import Constants, constants_in
from pacecar.onboarding.initialise.contracts import Controller
from pacecar.onboarding.initialise.guesses import GuessedEndpoint, guessed
from pacecar.onboarding.initialise.known import NOTHING, Known
from pacecar.onboarding.initialise.source_text import SourceText

_FRAMEWORK = "com.linecorp.armeria."
_CALL = re.compile(r"(?<![\w@$])(service|annotatedService)\s{0,9}+\(")
#: `new Orders()`, in Kotlin `Orders()`, or a variable that is named after its class.
_OBJECT = re.compile(r"\s*+(?:new\s{1,9}+)?(?:this\.)?(\w{1,60}+)")
_VARIABLE = re.compile(r"(?<=/):(\w++)", re.ASCII)
_MOST = 300


@dataclass(frozen=True, kw_only=True)
class Served:
    """What the calls of one file serve.

    Attributes:
        endpoints: of services without annotations.
        controllers: where annotated classes are put, as what implements their endpoints.
    """

    endpoints: tuple[GuessedEndpoint, ...] = ()
    controllers: tuple[Controller, ...] = ()


def served_by_armeria(source: str, known: Known = NOTHING) -> Served:
    """What the text of one Java or Kotlin file has Armeria serve. Anything may be in it.

    Args:
        source: the file.
        known: what names in it may mean.
    """
    if _FRAMEWORK not in source:
        return Served()
    text = SourceText.of(source)
    constants = Constants(constants_in(text), beyond=known.constants)
    endpoints: list[GuessedEndpoint] = []
    controllers: list[Controller] = []
    for name, arguments in islice(arguments_of_calls(text, _CALL), _MOST):
        path = constants.text(arguments[0].text.strip(), inside=None)
        if name == "service" and path is not None and path.startswith("/") and len(arguments) > 1:
            if endpoint := guessed("GET", _VARIABLE.sub(r"{\1}", path)):
                endpoints.append(endpoint)
        elif name == "annotatedService" and (held := _OBJECT.match(arguments[0 if path is None else -1].masked)):
            controllers.append(Controller(path=path or "", names=frozenset({held[1], _class(held[1])})))
    return Served(endpoints=tuple(endpoints), controllers=tuple(controllers))


def _class(name: str) -> str:
    """The class that a variable is probably named after."""
    return name[:1].upper() + name[1:]

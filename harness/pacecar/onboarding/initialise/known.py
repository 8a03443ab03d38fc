"""What is known beyond one file of sources, and helps to read it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

from pacecar.onboarding.initialise.constants import Constants
from pacecar.onboarding.initialise.guesses import Parameter
from pacecar.onboarding.initialise.settings import Settings

#: In Kotlin, a placeholder of settings is written so that the language does not fill it in.
_ESCAPED = re.compile(r"\\\$(?=\{)")


@dataclass(frozen=True, kw_only=True)
class Known:
    """What names in a source may mean.

    Attributes:
        constants: texts that other files name; None when that is not known.
        enums: constants of enums, by the names of these.
        settings: of the service, for placeholders in paths; None where there are none.
    """

    constants: Constants | None = None
    enums: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    settings: Settings | None = None

    def filled_in(self, path: str) -> str:
        """A path with what the settings say in place of `${api.base}`; as it stands where they say nothing."""
        path = _ESCAPED.sub("$", path)
        if "${" not in path or self.settings is None:
            return path
        return self.settings.filled_in(path) or path

    def valued(self, parameter: Parameter, *, inside: str) -> Parameter:
        """A parameter with values that an enum allows, if need be one of the class `inside` which it is named."""
        if parameter.values or not parameter.type:
            return parameter
        whole, last = parameter.type, parameter.type.rpartition(".")[2]
        found = next((self.enums[name] for name in (f"{inside}.{whole}", whole, last) if name in self.enums), ())
        return replace(parameter, values=found)


NOTHING = Known()

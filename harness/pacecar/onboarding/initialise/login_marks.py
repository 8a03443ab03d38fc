"""What annotations of a method and its class say of logins: `@RolesAllowed`, `@PermitAll` and their relatives."""

from __future__ import annotations

import re

from pacecar.onboarding.initialise.source_text import SourceAnnotation, SourceText

_MARK = re.compile(
    r"@(PreAuthorize|Secured|RolesAllowed|Authenticated|DenyAll|RequiresAuthentication|RequiresPermissions"
    r"|RequiresRoles|RequiresUser|SaCheckLogin|SaCheckPermission|SaCheckRole|PermitAll|SaIgnore|Anonymous\w{0,40})\b"
)
_OPEN = ("PermitAll", "SaIgnore", "Anonymous")
#: In arguments of the others: `@Secured(SecurityRule.IS_ANONYMOUS)`, `@PreAuthorize("permitAll()")`.
_OPENED = re.compile(r"anonymous|permit_?all|\boptional\s{0,5}=\s{0,5}true\b", re.IGNORECASE)
#: Dropwizard's parameter for whoever has logged in; it may be left out where it is optional.
_USER = re.compile(r"@Auth\s{1,20}+(?!Optional\b)")


def asks_for_login(method: SourceText, holder: SourceText) -> bool | None:
    """Whether a method asks for a login, as its own annotations say, else those of its class; None where none says it.

    Args:
        method: its annotations and parameters.
        holder: the annotations of its class.
    """
    if _USER.search(method.masked):
        return True
    for part in (method, holder):
        if marks := list(part.annotations(_MARK)):
            return not any(map(_opens, marks))
    return None


def _opens(mark: SourceAnnotation) -> bool:
    return mark.name.startswith(_OPEN) or (
        mark.arguments is not None and _OPENED.search(mark.arguments.text) is not None
    )

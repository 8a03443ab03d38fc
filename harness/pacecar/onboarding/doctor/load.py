"""How much the service is asked: whether anybody has looked at what `init` guessed."""

from __future__ import annotations

from pathlib import Path

from pacecar.errors import UsageError
from pacecar.inputs.config.config_text import parsed, read_text
from pacecar.model.check import Check
from pacecar.onboarding.initialise.proposal import GUESS, GUESSED_RATE


def checks(configuration: Path) -> tuple[Check, ...]:
    """That the rate is still the guess of `init`; nothing where it is not, or where no configuration can be read."""
    try:
        written = parsed(read_text(configuration), path=configuration)
    except UsageError:  # told by whatever command needs the file
        return ()
    scenario = written.table.get("scenario")
    line = written.lines.get(("scenario", "rate"))
    if line is None or not isinstance(scenario, dict) or scenario.get("rate") != GUESSED_RATE:
        return ()
    above = written.text.split("\n")[line - 2] if line > 1 else ""
    if GUESS not in above:
        return ()
    found = f"{configuration} line {line}: {GUESSED_RATE}, as pacecar init guessed it"
    remedy = "find a rate that fits this service and machine: pacecar size"
    return (Check(name="rate", ok=False, found=found, remedy=remedy, required=False),)

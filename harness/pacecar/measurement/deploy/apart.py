"""What is alike of forks whose service does not see this machine: those in containers and those in pods.

Hooks run here, where the jar and the port may be others than inside; the service's variables are meant from inside.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

from pacecar.measurement.deploy.fork import Attachment, ForkOrder
from pacecar.measurement.deploy.hooks import Hooks
from pacecar.measurement.deploy.jvm import LASTING_COMPILERS, gc_log_option
from pacecar.measurement.deploy.launch import Placeholders, jvm_environment, secrets, struck
from pacecar.model.experiment import Target
from pacecar.system import environment
from pacecar.system.resources import Resources
from pacecar.text.hidden import Struck


def hooks_here(target: Target, order: ForkOrder, *, here: Placeholders, also: Struck, resources: Resources) -> Hooks:
    """The hooks of a fork.

    Args:
        target: whose hooks they are.
        order: the fork.
        here: what stands for its jar and port on this machine.
        also: what is struck out of what they write, besides the target's own secrets.
        resources: they run in these.
    """
    plain = {name: here.fill(value) for name, value in {**target.env, **order.request.env}.items()}
    return Hooks(
        resources=resources,
        directory=target.directory,
        env={**environment.of_fork(), **plain, **secrets(target)},
        folder=order.folder,
        struck=Struck.together((struck(target, order.request), also)),
    )


@dataclass(frozen=True, kw_only=True)
class Inside:
    """The place that a service runs in.

    Attributes:
        placeholders: what stands for its jar and port there.
        logs: folder for the collector's log.
        stated: the JVM's own variables, as image or manifest have them.
        options: of the JVM, for the place's sake.
    """

    placeholders: Placeholders
    logs: Path
    stated: Mapping[str, str]
    options: Sequence[str] = ()


def environment_inside(target: Target, order: ForkOrder, attached: Attachment, inside: Inside) -> dict[str, str]:
    """Variables of a service without secrets, the agents among the options of its JVM."""
    variables = {**target.env, **order.request.env}
    own = {name: inside.placeholders.fill(value) for name, value in variables.items()}
    options = (
        *(f"-javaagent:{agent}" for agent in attached.agents),
        gc_log_option(inside.logs),
        LASTING_COMPILERS,
        *attached.options,
        *inside.options,
    )
    jvm = jvm_environment({**inside.stated, **own}, jvm_options=options, jvm_args=order.request.jvm_args)
    return own | dict(attached.env) | jvm

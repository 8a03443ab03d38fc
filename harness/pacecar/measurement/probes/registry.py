"""The probes, in the order in which they are read: the service's own first, the whole machine last."""

from __future__ import annotations

from pacecar.measurement.probes.cgroup import AccountProbe
from pacecar.measurement.probes.counters import JvmProbe
from pacecar.measurement.probes.descriptors import DescriptorProbe
from pacecar.measurement.probes.host import HostProbe
from pacecar.measurement.probes.input_output import InputOutputProbe
from pacecar.measurement.probes.probe import Probe
from pacecar.measurement.probes.process import ProcessProbe

PROBES: tuple[Probe, ...] = (
    ProcessProbe(),
    JvmProbe(),
    InputOutputProbe(),
    DescriptorProbe(),
    AccountProbe(),
    HostProbe(),
)

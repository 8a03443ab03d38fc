"""Gatling in a pod of its own, for load that the machine of whoever conducts cannot make.

`generator` has the cluster start pods (`pod` describes one), and `injector` is one of them, seen from here: it sends
the class path and the plan, says when the load begins, and fetches what Gatling has left. What runs in the pod is
`server`, which starts Gatling as it is started here. `layout` says where things lie in the pod, `told` what is asked
and answered.

Each pod keeps its own clock. The moments that it is told and that it tells are moved by how far that clock is ahead, to
the millisecond, the finest that the kit keeps.
"""

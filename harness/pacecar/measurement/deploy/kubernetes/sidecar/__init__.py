"""What runs in the pod of a fork, beside its service: `python -m pacecar.measurement.deploy.kubernetes.sidecar`.

It is a native sidecar: it starts before the service and ends after it. `server` answers whoever has the fork's token:
first it takes the files that the service is to see, then it lets the kubelet start the service, then it reads the
service's counters, and in the end it hands out what the service's JVM has logged. `found` finds that JVM among the
processes of the pod.

The pod's containers share a PID namespace, so that the probes that read a process of this machine read one of the pod.
"""

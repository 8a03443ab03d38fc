"""The cluster that tests of Kubernetes rest on: it does what any does, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import psutil
import pytest

from pacecar import __version__
from support import cluster
from support.checkout import CHECKOUT
from support.cluster import Cluster, node
from support.cluster.api import Api, Refused
from support.cluster.parts import PAUSE
from support.cluster.pods import container, ended, path, pod
from support.watchdogs import line_of

_PACECAR = ("python3", "-m", "pacecar", "--version")
_RBAC = "/apis/rbac.authorization.k8s.io/v1/namespaces/default"


def run(api: Api, wanted: dict[str, Any]) -> dict[str, Any]:
    """A pod, once it has ended."""
    api.create(path(), wanted)
    done: dict[str, Any] = api.wait(path(wanted["metadata"]["name"]), ended)
    return done


def finished(job: dict[str, Any]) -> str | None:
    """How a job came to its end; `SuccessCriteriaMet` comes before its pods are counted, and is none."""
    conditions = job["status"].get("conditions", [])
    return next((each["type"] for each in conditions if each["type"] in ("Complete", "Failed")), None)


def test_pacecar_runs_with_few_rights(kubernetes: Cluster) -> None:
    api = kubernetes.api
    probe = "touch /opt/pacecar/x 2>&1; id -u; exec python3 -m pacecar --version"
    done = run(api, pod("few-rights", container("pacecar", "sh", "-c", probe)))
    said = api.log("few-rights", "pacecar")
    assert done["status"]["phase"] == "Succeeded", said
    assert "Read-only file system" in said
    assert said.split("\n")[1:3] == ["10001", f"pacecar {__version__}"]


def test_a_job_completes_and_is_removed(kubernetes: Cluster) -> None:
    api = kubernetes.api
    template = pod("unused", container("pacecar", *_PACECAR))["spec"]
    jobs = "/apis/batch/v1/namespaces/default/jobs"
    spec = {"template": {"spec": template}, "backoffLimit": 0, "ttlSecondsAfterFinished": 1}
    api.create(jobs, {"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "version"}, "spec": spec})
    done = api.wait(f"{jobs}/version", lambda job: finished(job) is not None)
    assert finished(done) == "Complete", done["status"]
    assert done["status"]["succeeded"] == 1
    api.wait(jobs, lambda found: not found["items"])
    api.wait(f"{path()}?labelSelector=job-name%3Dversion", lambda found: not found["items"])


def test_a_container_starts_after_its_sidecar(kubernetes: Cluster) -> None:
    api = kubernetes.api
    shared = [{"name": "shared", "mountPath": "/shared"}]
    sidecar = container(
        *("sidecar", "sh", "-c", "sleep 2; echo up >/shared/up; exec sleep 600"),
        restartPolicy="Always",
        volumeMounts=shared,
        startupProbe={"exec": {"command": ["test", "-s", "/shared/up"]}, "periodSeconds": 1, "failureThreshold": 30},
    )
    main = container("main", "cat", "/shared/up", volumeMounts=shared)
    volumes = [{"name": "shared", "emptyDir": {"medium": "Memory"}}]
    done = run(api, pod("beside", main, initContainers=[sidecar], volumes=volumes))
    assert (done["status"]["phase"], api.log("beside", "main")) == ("Succeeded", "up\n")


def test_an_account_has_the_rights_it_was_given(kubernetes: Cluster) -> None:
    api = kubernetes.api
    api.create("/api/v1/namespaces/default/serviceaccounts", {"metadata": {"name": "reader"}})
    token = api.create("/api/v1/namespaces/default/serviceaccounts/reader/token", {})["status"]["token"]
    reader = Api(kubernetes.kubeconfig, token=token)
    with pytest.raises(Refused, match="403"):
        reader.get(path())
    rules = [{"apiGroups": [""], "resources": ["pods"], "verbs": ["get", "list"]}]
    api.create(f"{_RBAC}/roles", {"metadata": {"name": "reads"}, "rules": rules})
    role = {"apiGroup": "rbac.authorization.k8s.io", "kind": "Role", "name": "reads"}
    subjects = [{"kind": "ServiceAccount", "name": "reader", "namespace": "default"}]
    api.create(f"{_RBAC}/rolebindings", {"metadata": {"name": "reads"}, "roleRef": role, "subjects": subjects})
    script = (
        "import os, ssl, urllib.request as web; of = '/var/run/secrets/kubernetes.io/serviceaccount/';"
        "host = os.environ['KUBERNETES_SERVICE_HOST'] + ':' + os.environ['KUBERNETES_SERVICE_PORT'];"
        "asked = web.Request(f'https://{host}/api/v1/namespaces/default/pods/inside');"
        "asked.add_header('Authorization', 'Bearer ' + open(of + 'token').read());"
        "print(web.urlopen(asked, context=ssl.create_default_context(cafile=of + 'ca.crt')).status)"
    )
    run(api, pod("inside", container("asks", "python3", "-c", script), serviceAccountName="reader"))
    assert api.log("inside", "asks") == "200\n"


def test_a_strict_namespace_lets_in_only_what_is_confined(kubernetes: Cluster) -> None:
    api = kubernetes.api
    labels = {"pod-security.kubernetes.io/enforce": "restricted"}
    api.create("/api/v1/namespaces", {"metadata": {"name": "strict", "labels": labels}})
    api.wait("/api/v1/namespaces/strict/serviceaccounts", lambda found: found["items"])
    strict = "/api/v1/namespaces/strict/pods"
    with pytest.raises(Refused, match="host namespaces"):
        api.create(strict, pod("open", container("pacecar", *_PACECAR)))
    api.create(strict, pod("confined", container("pacecar", *_PACECAR), hostNetwork=False))
    done = api.wait(f"{strict}/confined", ended)
    assert done["status"]["phase"] == "Succeeded"
    assert done["status"]["podIP"].startswith("10.")
    api.delete("/api/v1/namespaces/strict")
    with pytest.raises(Refused, match="404"):
        api.wait("/api/v1/namespaces/strict", lambda found: False)


def of(folder: Path) -> list[str]:
    """What is there of a node: its folder, processes that name it, and mounts in the view of any process."""
    found = [str(folder)] if folder.exists() else []
    for process in psutil.process_iter():
        with contextlib.suppress(psutil.NoSuchProcess, OSError):
            said = [" ".join(process.cmdline()), Path(f"/proc/{process.pid}/mounts").read_text()]
            found += [f"{process.pid}: {process.name()}" for text in said if str(folder) in text]
    return found


def interfaces(network: str) -> list[str]:
    """Of this machine, those with an address of a network: other tests make interfaces meanwhile."""
    found = psutil.net_if_addrs().items()
    return [name for name, addresses in found if any(each.address.startswith(network) for each in addresses)]


def test_an_interrupted_cluster_leaves_nothing(kubernetes: Cluster) -> None:
    stays = {"name": "stays", "image": PAUSE, "volumeMounts": [{"name": "memory", "mountPath": "/memory"}]}
    volumes = [{"name": "memory", "emptyDir": {"medium": "Memory"}}]
    network = ""
    with contextlib.suppress(KeyboardInterrupt), cluster.running() as second:
        second.api.create(path(), pod("stays", stays, hostNetwork=False, volumes=volumes))
        running = second.api.wait(path("stays"), lambda found: found["status"].get("phase") == "Running")
        assert len(of(second.folder)) > len(("folder", "etcd", "apiserver", "containerd", "kubelet", "shim"))
        network = running["status"]["podIP"].rpartition(".")[0] + "."
        assert interfaces(network)
        raise KeyboardInterrupt
    assert of(second.folder) == []
    assert network.startswith("10.")
    assert interfaces(network) == []


@pytest.mark.hostile
def test_a_node_ends_with_whoever_started_it(tmp_path: Path) -> None:
    script = (
        "import time\nfrom support.cluster import node\n"
        "with node.place() as place, node.started(place) as found:\n"
        "    found.start('sleeps', 'sleep', '600')\n    print(place.folder, flush=True)\n    time.sleep(600)"
    )
    # From the folder of the tests: there it finds what it imports.
    alone = subprocess.Popen([sys.executable, "-c", script], cwd=CHECKOUT / "tests", stdout=subprocess.PIPE, text=True)
    with alone as killed:
        folder = Path(line_of(killed).strip())
        assert len(of(folder)) > 2
        killed.send_signal(signal.SIGKILL)
    while of(folder) != [str(folder)]:
        time.sleep(0.05)
    with contextlib.ExitStack() as stack:
        while of(folder):  # until its number is taken again
            stack.enter_context(node.place())

"""The manifests: they match the Kubernetes schema, refer to each other correctly, and have settings that the gateway accepts."""

from __future__ import annotations

import re
import subprocess
from pathlib import Path
from typing import Any

import pytest
import yaml

from deployed import DEPLOY, EXPOSED, STOP_SECONDS, USER, VERSION, VOLUME, settings, size
from gateway import Gateway

FILE = DEPLOY / "kubernetes.yaml"
LABELS = {"app.kubernetes.io/name": "drawtogether"}
TOKEN = "of-the-secret"


@pytest.fixture(scope="module")
def manifests() -> dict[str, dict[str, Any]]:
    """Returns the manifests by their kind, of which each occurs once."""
    every = list(yaml.safe_load_all(FILE.read_text()))
    by_kind = {one["kind"]: one for one in every}
    assert len(by_kind) == len(every)
    assert {one["metadata"]["name"] for one in every} == {"drawtogether"}
    return by_kind


@pytest.fixture(scope="module")
def pod(manifests: dict[str, dict[str, Any]]) -> dict[str, Any]:
    return manifests["StatefulSet"]["spec"]["template"]["spec"]


@pytest.fixture(scope="module")
def container(pod: dict[str, Any]) -> dict[str, Any]:
    assert len(pod["containers"]) == 1
    return pod["containers"][0]


@pytest.fixture(scope="module")
def variables(container: dict[str, Any]) -> dict[str, str]:
    """Returns the variables of the container, with a token as from the secret."""
    return {one["name"]: one.get("value", TOKEN) for one in container["env"]}


def test_the_manifests_match_the_kubernetes_schema() -> None:
    done = subprocess.run(
        ["kubernetes-validate", "--strict", FILE], capture_output=True, text=True, check=False
    )
    assert done.returncode == 0 and done.stderr.count("passed") + done.stdout.count("passed") == 4, done


def test_commented_out_parts_are_valid_manifests() -> None:
    tail = FILE.read_text().split("# ---\n")[1]
    monitor = yaml.safe_load(re.sub(r"^# ?", "", tail, flags=re.M))
    assert monitor["kind"] == "ServiceMonitor" and monitor["spec"]["selector"]["matchLabels"] == LABELS


def test_the_manifests_refer_to_each_other(
    manifests: dict[str, dict[str, Any]], container: dict[str, Any]
) -> None:
    stateful, service, ingress = (manifests[kind]["spec"] for kind in ("StatefulSet", "Service", "Ingress"))
    assert stateful["serviceName"] == "drawtogether" and stateful["replicas"] == 1
    policy = manifests["NetworkPolicy"]["spec"]
    for selected in (
        stateful["selector"]["matchLabels"],
        service["selector"],
        policy["podSelector"]["matchLabels"],
    ):
        assert selected == LABELS == stateful["template"]["metadata"]["labels"]
    assert manifests["Service"]["metadata"]["labels"] == LABELS
    names = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert names == {"http": EXPOSED[0]}
    assert [port["targetPort"] for port in service["ports"]] == ["http"]
    assert [port["port"] for rule in policy["ingress"] for port in rule["ports"]] == ["http"]
    (path,) = ingress["rules"][0]["http"]["paths"]
    assert path["backend"]["service"] == {
        "name": "drawtogether",
        "port": {"name": service["ports"][0]["name"]},
    }
    assert ingress["tls"][0]["hosts"] == [ingress["rules"][0]["host"]]
    (mount,), (claim,) = container["volumeMounts"], stateful["volumeClaimTemplates"]
    assert mount == {"name": claim["metadata"]["name"], "mountPath": VOLUME}
    assert container["image"].endswith(f":{VERSION}")


def test_the_gateway_is_reachable_only_through_its_trusted_proxy(
    manifests: dict[str, dict[str, Any]], variables: dict[str, str]
) -> None:
    """A rule without `from`, and a selector without labels, apply to every pod."""
    assert variables["DRAWTOGETHER_TRUST_PROXY"] == "1"
    policy = manifests["NetworkPolicy"]["spec"]
    assert set(policy["policyTypes"]) == {"Ingress", "Egress"} and not policy.get("egress")
    (rule,) = policy["ingress"]
    let_in = [peer["namespaceSelector"]["matchLabels"] for peer in rule["from"]]
    assert let_in == [{"kubernetes.io/metadata.name": name} for name in ("ingress-nginx", "monitoring")]
    assert manifests["Ingress"]["spec"]["ingressClassName"] == "nginx"


def test_the_pod_runs_as_the_images_user_without_privileges(
    pod: dict[str, Any], container: dict[str, Any]
) -> None:
    security = pod["securityContext"]
    assert security["runAsNonRoot"] and security["seccompProfile"] == {"type": "RuntimeDefault"}
    assert security["runAsUser"] == security["runAsGroup"] == security["fsGroup"] == USER
    assert container["securityContext"] == {
        "allowPrivilegeEscalation": False, "readOnlyRootFilesystem": True, "capabilities": {"drop": ["ALL"]},
    }  # fmt: skip
    assert not pod["automountServiceAccountToken"]
    assert pod["terminationGracePeriodSeconds"] > STOP_SECONDS


def test_the_gateway_accepts_its_settings(
    executable: str, tmp_path: Path, variables: dict[str, str], container: dict[str, Any],
    manifests: dict[str, dict[str, Any]],
) -> None:  # fmt: skip
    in_force = settings(executable, tmp_path, variables)
    assert in_force["--https"] == "off" and in_force["--http"].endswith(f":{EXPOSED[0]}")
    host = manifests["Ingress"]["spec"]["rules"][0]["host"]
    assert in_force["--public-url"] == f"https://{host}" and in_force["--trust-proxy"] == "1"
    assert in_force["--metrics-token"] == "set"
    assert not any("MEMORY" in name for name in variables), "the budget follows the limit"
    assert size(container["resources"]["limits"]["memory"]) >= 512 << 20


async def test_probes_and_metrics_are_answered(
    gateway_with, variables: dict[str, str], container: dict[str, Any]
) -> None:
    """A kubelet uses the pod's address, which differs from that of the Ingress."""
    given = {
        name.removeprefix("DRAWTOGETHER_").lower().replace("_", "-"): value
        for name, value in variables.items()
    }
    del given["https"]
    gateway: Gateway = gateway_with(*(word for name, value in given.items() for word in (f"--{name}", value)))
    paths = {
        kind: container[f"{kind}Probe"]["httpGet"]["path"] for kind in ("startup", "liveness", "readiness")
    }
    assert paths == {"startup": "/healthz", "liveness": "/healthz", "readiness": "/readyz"}
    for path in paths.values():
        assert (await gateway.get(path, Host="10.1.2.3:8080")).status == 200
    bearer = {"Authorization": f"Bearer {TOKEN}", "Host": "10.1.2.3:8080"}
    assert (await gateway.get("/metrics", **bearer)).status == 200
    assert (await gateway.get("/metrics", Host="10.1.2.3:8080")).status == 404


async def test_the_ingress_allows_the_gateways_body_size(
    gateway: Gateway, manifests: dict[str, dict[str, Any]]
) -> None:
    notes = manifests["Ingress"]["metadata"]["annotations"]
    limits = (await gateway.get("/api/limits")).json()
    most = limits.get("limits", limits)["attachmentBytes"]
    assert size(notes["nginx.ingress.kubernetes.io/proxy-body-size"]) > most
    for way in ("read", "send"):
        # The gateway's ping every 20 s keeps a quiet connection.
        assert int(notes[f"nginx.ingress.kubernetes.io/proxy-{way}-timeout"]) > 2 * 20

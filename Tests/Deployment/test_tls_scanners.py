"""TLS scanners on the gateway: testssl.sh and sslyze, with the certificate of a test authority."""

from __future__ import annotations

import json
import os
import subprocess
from pathlib import Path
from typing import Any

import pytest

from gateway import Gateway

LEAF = """
subjectAltName = DNS:localhost, IP:127.0.0.1
basicConstraints = critical, CA:FALSE
keyUsage = critical, digitalSignature
extendedKeyUsage = serverAuth
authorityInfoAccess = OCSP;URI:http://ocsp.authority.test, caIssuers;URI:http://authority.test/ca.der
crlDistributionPoints = URI:http://authority.test/ca.crl
"""
HARMLESS = {"OK", "INFO", "LOW"}
OWN_TROUBLE = {"engine_problem"}
"""testssl's findings about itself: Debian's OpenSSL lacks GOST, which is not used here."""
GRADES = {"A", "A+"}
ATTEMPTS = 3
MISSED = "check failed because of connect problem"
"""testssl sometimes ends its client before a ticket of TLS 1.3 arrives, and then cannot resume: the scan is repeated."""


def openssl(*arguments: str | Path) -> None:
    subprocess.run(["openssl", *map(str, arguments)], check=True, capture_output=True)


def make_certificate(folder: Path, *key: str) -> list[str]:
    """Creates a test authority, and a certificate for localhost like public ones. Returns the settings that use it."""
    authority = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-subj"]
    openssl(
        "req", "-x509", *authority, "/O=Test authority/CN=Root", "-days", "365",
        "-addext", "keyUsage=critical,keyCertSign,cRLSign", "-keyout", folder / "ca.key", "-out", folder / "ca.pem",
    )  # fmt: skip
    openssl(
        "req", "-new", "-newkey", *key, "-nodes", "-subj", "/CN=localhost",
        "-keyout", folder / "key.pem", "-out", folder / "request.pem",
    )  # fmt: skip
    (folder / "leaf.cnf").write_text(LEAF)
    openssl(
        "x509", "-req", "-in", folder / "request.pem", "-CA", folder / "ca.pem", "-CAkey", folder / "ca.key",
        "-days", "80", "-sha256", "-extfile", folder / "leaf.cnf", "-out", folder / "cert.pem",
        "-set_serial", "0x" + os.urandom(16).hex(),
    )  # fmt: skip
    return ["--hsts", "--tls-cert", str(folder / "cert.pem"), "--tls-key", str(folder / "key.pem")]


EC = ("ec", "-pkeyopt", "ec_paramgen_curve:P-256")


@pytest.mark.long
@pytest.mark.seconds(900)
def test_testssl_finds_no_severe_problem_and_rates_a(new_gateway, tmp_path: Path) -> None:
    gateway: Gateway = new_gateway(*make_certificate(tmp_path, *EC))
    arguments = [
        "testssl", "--quiet", "--color", "0", "--warnings", "batch", "--nodns", "min", "--ip", "127.0.0.1",
        "--add-ca", str(tmp_path / "ca.pem"),
    ]  # fmt: skip
    for attempt in range(ATTEMPTS):
        report = tmp_path / f"report-{attempt}.json"
        done = subprocess.run(
            [*arguments, "--jsonfile", str(report), f"localhost:{gateway.https[1]}"],
            capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
        )  # fmt: skip
        assert report.is_file(), done.stdout + done.stderr
        findings = json.loads(report.read_text())
        if not any(MISSED in finding["finding"] for finding in findings):
            break
    grade = [finding["finding"] for finding in findings if finding["id"] == "overall_grade"]
    findings = [one for one in findings if one["id"] not in OWN_TROUBLE]
    said = [f"{one['severity']:8} {one['id']}: {one['finding']}" for one in findings]
    print(f"testssl.sh: {len(findings)} findings, grade {grade or 'not given by this version'}")
    print("\n".join(line for line in said if not line.startswith(("OK", "INFO"))))
    assert len(findings) > 100, done.stdout[-3000:]
    assert [line for line in said if line.split()[0] not in HARMLESS] == []
    # Versions before 3.2 give no grade.
    assert set(grade) <= GRADES, grade


VERSIONS = {"ssl_2_0": 0, "ssl_3_0": 80, "tls_1_0": 90, "tls_1_1": 95, "tls_1_2": 100, "tls_1_3": 100}


def strength(bits: int) -> int:
    """Returns the guide's points for a cipher's key."""
    return 100 if bits >= 256 else 80 if bits >= 128 else 20 if bits > 0 else 0


def exchange(key: dict[str, Any]) -> int:
    """Returns the guide's points for a key exchange. A key on a curve counts like an RSA key of twelve times its bits."""
    bits = key["size"] * 12 if key["type_name"] == "ECDH" else key["size"]
    return 100 if bits >= 4096 else 90 if bits >= 2048 else 80 if bits >= 1024 else 40


def rated(scan: dict[str, Any]) -> tuple[float, str]:
    """Returns points and grade by the SSL Labs Server Rating Guide, 2009r, for a trusted certificate and no known
    vulnerability."""
    accepted = {
        version: found
        for version in VERSIONS
        if (found := scan[f"{version}_cipher_suites"]["result"]["accepted_cipher_suites"])
    }
    suites = [suite for found in accepted.values() for suite in found]
    protocols = [VERSIONS[version] for version in accepted]
    ciphers = [strength(suite["cipher_suite"]["key_size"]) for suite in suites]
    # Without an ephemeral key a connection has no forward secrecy.
    exchanges = [exchange(suite["ephemeral_key"]) if suite["ephemeral_key"] else 0 for suite in suites]
    figure = (
        0.3 * (min(protocols) + max(protocols)) / 2
        + 0.3 * min(exchanges)
        + 0.4 * (min(ciphers) + max(ciphers)) / 2
    )
    letter = "A" if figure >= 80 else "B" if figure >= 65 else "C or worse"
    strict = scan["http_headers"]["result"]["strict_transport_security_header"] or {"max_age": 0}
    has_plus = strict["max_age"] >= 180 * 86_400 and scan["tls_fallback_scsv"]["result"]["supports_fallback_scsv"]
    return figure, letter + ("+" if letter == "A" and has_plus else "")


@pytest.mark.long
@pytest.mark.seconds(300)
@pytest.mark.parametrize("key", [EC, ("rsa:2048",)], ids=["ec", "rsa"])
def test_sslyze_confirms_mozillas_recommendations(new_gateway, tmp_path: Path, key: tuple[str, ...]) -> None:
    gateway: Gateway = new_gateway(*make_certificate(tmp_path, *key))
    report = tmp_path / "report.json"
    done = subprocess.run(
        ["sslyze", "--mozilla_config", "intermediate", "--http_headers", "--certinfo_ca_file", str(tmp_path / "ca.pem"),
         "--json_out", str(report), f"localhost:{gateway.https[1]}"],
        capture_output=True, text=True, stdin=subprocess.DEVNULL, check=False,
    )  # fmt: skip
    said = done.stdout + done.stderr
    assert "OK - Compliant" in said, said
    (result,) = json.loads(report.read_text())["server_scan_results"]
    assert result["scan_status"] == "COMPLETED", said
    scan = result["scan_result"]
    (deployment,) = scan["certificate_info"]["result"]["certificate_deployments"]
    trusted = {
        store["trust_store"]["name"]: store["was_validation_successful"]
        for store in deployment["path_validation_results"]
    }
    assert trusted["Supplied CA file"], trusted
    assert not scan["heartbleed"]["result"]["is_vulnerable_to_heartbleed"]
    assert not scan["tls_compression"]["result"]["supports_compression"]
    assert not scan["session_renegotiation"]["result"]["is_vulnerable_to_client_renegotiation_dos"]
    figure, letter = rated(scan)
    print(f"SSL Labs' guide, by what sslyze found: {figure:.0f}, {letter}")
    assert letter in GRADES, (figure, letter)

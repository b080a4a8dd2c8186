"""Certificates as operators have them."""

from __future__ import annotations

import subprocess
from pathlib import Path


def make_certificate(folder: Path, name: str) -> None:
    """A certificate and its key, as an operator would have them."""
    folder.mkdir(parents=True, exist_ok=True)
    command = [
        "openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "90",
        "-subj", f"/CN={name}", "-addext", f"subjectAltName=DNS:{name}",
        "-keyout", str(folder / "key.pem"), "-out", str(folder / "cert.pem"),
    ]  # fmt: skip
    subprocess.run(command, check=True, capture_output=True)

"""Keys and certificates, created for each cluster: who may use its API, and how its servers identify themselves."""

from __future__ import annotations

import base64
import datetime
import ipaddress
import json
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.x509.oid import NameOID

#: Clocks may differ, and tests may be long.
_FROM, _TO = datetime.timedelta(minutes=-5), datetime.timedelta(days=2)


@dataclass(frozen=True, kw_only=True)
class Pair:
    """A private key and its certificate, in PEM files."""

    key: Path
    certificate: Path


class Authority:
    """An authority that signs in one folder: `ca.crt` there, and a `.key` and a `.crt` for each it signed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._key = ec.generate_private_key(ec.SECP256R1())
        self._name = _name("authority")
        self.certificate = folder / "ca.crt"
        made = _builder(self._name, self._name, self._key.public_key())
        signs = x509.BasicConstraints(ca=True, path_length=None)
        _write(self.certificate, _pem(made.add_extension(signs, critical=True).sign(self._key, hashes.SHA256())))

    def server(self, name: str, reached_as: Sequence[str]) -> Pair:
        """A server with these names and addresses."""
        names = x509.SubjectAlternativeName([_alternative(each) for each in reached_as])
        return self._sign(name, _name(name), names)

    def client(self, name: str, *, group: str) -> Pair:
        """A client, whom RBAC knows by this name and group."""
        return self._sign(name.replace(":", "-"), _name(name, group), None)

    def _sign(self, file: str, subject: x509.Name, names: x509.SubjectAlternativeName | None) -> Pair:
        pair = Pair(key=self._folder / f"{file}.key", certificate=self._folder / f"{file}.crt")
        key = ec.generate_private_key(ec.SECP256R1())
        made = _builder(subject, self._name, key.public_key())
        if names is not None:
            made = made.add_extension(names, critical=False)
        _write(pair.key, _private(key))
        _write(pair.certificate, _pem(made.sign(self._key, hashes.SHA256())))
        return pair


def signing_key(folder: Path) -> tuple[Path, Path]:
    """What signs the tokens of service accounts: the private key, the public one."""
    private, public = folder / "tokens.key", folder / "tokens.pub"
    key = ec.generate_private_key(ec.SECP256R1())
    _write(private, _private(key))
    encoded = serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo
    _write(public, key.public_key().public_bytes(*encoded))
    return private, public


def kubeconfig(path: Path, server: str, authority: Authority, client: Pair) -> Path:
    """A file by which programs reach the API at `server` as `client`; it needs no other file."""
    cluster = {"server": server, "certificate-authority-data": _inline(authority.certificate)}
    user = {"client-certificate-data": _inline(client.certificate), "client-key-data": _inline(client.key)}
    content = {
        "apiVersion": "v1",
        "kind": "Config",
        "clusters": [{"name": "test", "cluster": cluster}],
        "users": [{"name": "test", "user": user}],
        "contexts": [{"name": "test", "context": {"cluster": "test", "user": "test", "namespace": "default"}}],
        "current-context": "test",
    }
    _write(path, json.dumps(content, indent=1).encode())
    return path


def _builder(subject: x509.Name, issuer: x509.Name, key: ec.EllipticCurvePublicKey) -> x509.CertificateBuilder:
    now = datetime.datetime.now(datetime.UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(issuer)
        .public_key(key)
        .serial_number(x509.random_serial_number())
        .not_valid_before(now + _FROM)
        .not_valid_after(now + _TO)
    )


def _name(name: str, group: str | None = None) -> x509.Name:
    groups = [x509.NameAttribute(NameOID.ORGANIZATION_NAME, group)] if group else []
    return x509.Name([*groups, x509.NameAttribute(NameOID.COMMON_NAME, name)])


def _alternative(text: str) -> x509.GeneralName:
    try:
        return x509.IPAddress(ipaddress.ip_address(text))
    except ValueError:
        return x509.DNSName(text)


def _pem(certificate: x509.Certificate) -> bytes:
    return certificate.public_bytes(serialization.Encoding.PEM)


def _private(key: ec.EllipticCurvePrivateKey) -> bytes:
    encoded = serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
    return key.private_bytes(*encoded, serialization.NoEncryption())


def _inline(path: Path) -> str:
    return base64.b64encode(path.read_bytes()).decode()


def _write(path: Path, content: bytes) -> None:
    path.touch(mode=0o600)
    path.write_bytes(content)

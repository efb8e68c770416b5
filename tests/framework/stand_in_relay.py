"""A relay for Media over QUIC, as the hosting service has them.

Both sides of a session dial it, and find each other there. Its certificate is signed by an authority of its own.
Whatever this process imports afterwards trusts that authority.
"""

import asyncio
import base64
import os
import tempfile
from datetime import UTC, datetime, timedelta
from pathlib import Path

import moq
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import ec


class Relay:
    def __init__(self, server: moq.Server, serving: asyncio.Task) -> None:
        self.serving = serving
        self.url = f"https://localhost:{server.local_addr.rsplit(':', 1)[1]}"
        self.fingerprint = base64.b64encode(bytes.fromhex(server.cert_fingerprints()[0])).decode()

    @classmethod
    async def start(cls) -> "Relay":
        folder = Path(tempfile.mkdtemp())
        write_certificates(folder)
        # Read when the bot dials.
        os.environ["SSL_CERT_FILE"] = str(folder / "authority.pem")
        everything = moq.OriginProducer()
        certificate, key = [str(folder / "relay.pem")], [str(folder / "relay.key")]
        server = moq.Server("127.0.0.1:0", tls_cert=certificate, tls_key=key, publish=everything, subscribe=everything)
        await server.__aenter__()
        return cls(server, asyncio.create_task(server.serve()))


def write_certificates(folder: Path) -> None:
    authority_key, key = (ec.generate_private_key(ec.SECP256R1()) for _ in range(2))
    authority = certificate("An authority", authority_key, "An authority", authority_key, signs=True)
    relay = certificate("A relay", key, "An authority", authority_key, signs=False)
    pem = serialization.Encoding.PEM
    (folder / "authority.pem").write_bytes(authority.public_bytes(pem))
    (folder / "relay.pem").write_bytes(relay.public_bytes(pem))
    private = key.private_bytes(pem, serialization.PrivateFormat.PKCS8, serialization.NoEncryption())
    (folder / "relay.key").write_bytes(private)


def certificate(name: str, key, issuer: str, issuer_key, *, signs: bool) -> x509.Certificate:
    def named(common: str) -> x509.Name:
        return x509.Name([x509.NameAttribute(x509.NameOID.COMMON_NAME, common)])

    now = datetime.now(UTC)
    return (
        x509.CertificateBuilder()
        .subject_name(named(name))
        .issuer_name(named(issuer))
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        # A browser would pin no certificate that is valid for longer than two weeks.
        .not_valid_after(now + timedelta(days=7))
        .add_extension(x509.BasicConstraints(ca=signs, path_length=None), critical=True)
        .add_extension(x509.SubjectAlternativeName([x509.DNSName("localhost")]), critical=False)
        .sign(issuer_key, hashes.SHA256())
    )

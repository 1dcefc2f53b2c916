"""An authenticator in software (WebAuthn Level 3, "none" attestation, ES256), also a forged one."""

import base64
import hashlib
import json
import os
from dataclasses import dataclass, field

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256


def encode(content: bytes) -> str:
    return base64.urlsafe_b64encode(content).rstrip(b"=").decode()


@dataclass
class SoftwarePasskey:
    """A key pair with a counter; `origin` is what the browser states."""

    origin: str
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    credential_id: bytes = field(default_factory=lambda: os.urandom(16))
    counter: int = 0

    def create(self, options: str) -> str:
        """Answer creation options: `RegistrationResponseJSON`."""
        asked = json.loads(options)
        numbers = self.key.public_key().public_numbers()
        public_key = cbor2.dumps({1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32), -3: numbers.y.to_bytes(32)})
        attested = bytes(16) + len(self.credential_id).to_bytes(2) + self.credential_id + public_key
        data = self._data(asked["rp"]["id"], flags=0x45) + attested
        attestation = cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})
        client = self._client("webauthn.create", asked["challenge"])
        return self._answer({"attestationObject": encode(attestation), "clientDataJSON": encode(client)})

    def get(self, options: str) -> str:
        """Answer request options: `AuthenticationResponseJSON`."""
        asked = json.loads(options)
        self.counter += 1
        data, client = self._data(asked["rpId"], flags=0x05), self._client("webauthn.get", asked["challenge"])
        signature = self.key.sign(data + hashlib.sha256(client).digest(), ec.ECDSA(SHA256()))
        signed = {"authenticatorData": encode(data), "clientDataJSON": encode(client), "signature": encode(signature)}
        return self._answer(signed)

    def _data(self, site: str, *, flags: int) -> bytes:
        return hashlib.sha256(site.encode()).digest() + bytes([flags]) + self.counter.to_bytes(4)

    def _client(self, kind: str, challenge: str) -> bytes:
        return json.dumps({"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}).encode()

    def _answer(self, response: dict[str, str]) -> str:
        name = encode(self.credential_id)
        return json.dumps(
            {"id": name, "rawId": name, "type": "public-key", "response": response, "clientExtensionResults": {}}
        )

"""SAML identity providers to sign in with: one built from a Go module, and a malicious one of ours."""

import base64
import os
import subprocess
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from functools import cache
from html.parser import HTMLParser
from pathlib import Path
from typing import Any
from urllib.parse import parse_qsl, urlsplit

import httpx
from cryptography import x509
from cryptography.hazmat.primitives import hashes, serialization
from cryptography.hazmat.primitives.asymmetric import rsa
from cryptography.x509.oid import NameOID
from lxml import etree
from onelogin.saml2.constants import OneLogin_Saml2_Constants as Saml
from onelogin.saml2.utils import OneLogin_Saml2_Utils

from bootstrap_parts.install_steps import find_go, go_environment
from slowpath.adapters.system_clock import SystemClock

ROOT = Path(__file__).resolve().parents[3]
ENTITY_ID = "https://idp.corp.example/metadata"
SSO_URL = "https://idp.corp.example/sso?tenant=7&realm=corp"
PERSISTENT = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"


@dataclass(frozen=True)
class SigningKey:
    """A key with its certificate, as PEM."""

    key: str
    certificate: str


@cache
def signing_key(name: str) -> SigningKey:
    """Return a key; one for each name."""
    key = rsa.generate_private_key(65537, 2048)
    subject = x509.Name([x509.NameAttribute(NameOID.COMMON_NAME, name)])
    now = SystemClock().now()
    certificate = (
        x509.CertificateBuilder()
        .subject_name(subject)
        .issuer_name(subject)
        .public_key(key.public_key())
        .serial_number(x509.random_serial_number())
        .not_valid_before(now - timedelta(days=1))
        .not_valid_after(now + timedelta(days=1))
        .sign(key, hashes.SHA256())
    )
    private = key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.PKCS8, serialization.NoEncryption()
    )
    return SigningKey(private.decode(), certificate.public_bytes(serialization.Encoding.PEM).decode())


@dataclass(frozen=True)
class SentRequest:
    """A request that a browser was redirected with."""

    id: str
    acs: str
    issuer: str
    relay_state: str
    forces_sign_in: bool
    name_format: str


def read_request(url: str) -> SentRequest:
    """Return the request of a redirect."""
    query = dict(parse_qsl(urlsplit(url).query))
    root = etree.fromstring(zlib.decompress(base64.b64decode(query["SAMLRequest"]), -15))
    [policy] = root.findall("{*}NameIDPolicy")
    return SentRequest(
        root.get("ID"),
        root.get("AssertionConsumerServiceURL"),
        root.findtext("{*}Issuer"),
        query["RelayState"],
        root.get("ForceAuthn") == "true",
        policy.get("Format"),
    )


RESPONSE = """{prologue}<samlp:Response xmlns:samlp="urn:oasis:names:tc:SAML:2.0:protocol" \
xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" ID="{response_id}" Version="2.0" IssueInstant="{now}" \
Destination="{destination}"{answers}><saml:Issuer>{response_issuer}</saml:Issuer><samlp:Status>\
<samlp:StatusCode Value="urn:oasis:names:tc:SAML:2.0:status:{status}"/></samlp:Status>{assertions}</samlp:Response>"""
ASSERTION = """<saml:Assertion xmlns:saml="urn:oasis:names:tc:SAML:2.0:assertion" \
xmlns:xs="http://www.w3.org/2001/XMLSchema" xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" ID="{assertion_id}" \
Version="2.0" IssueInstant="{now}"><saml:Issuer>{issuer}</saml:Issuer><saml:Subject>\
<saml:NameID Format="{name_format}"{qualifier}>{name_id}</saml:NameID>{confirmation}</saml:Subject>\
<saml:Conditions NotBefore="{not_before}" NotOnOrAfter="{not_on_or_after}">{audience_restriction}</saml:Conditions>\
<saml:AuthnStatement AuthnInstant="{authenticated_at}"><saml:AuthnContext><saml:AuthnContextClassRef>\
urn:oasis:names:tc:SAML:2.0:ac:classes:Password</saml:AuthnContextClassRef></saml:AuthnContext></saml:AuthnStatement>\
<saml:AttributeStatement>{attributes}</saml:AttributeStatement></saml:Assertion>"""
CONFIRMATION = """<saml:SubjectConfirmation Method="urn:oasis:names:tc:SAML:2.0:cm:{method}">\
<saml:SubjectConfirmationData{subject_answers}{recipient_stated} NotOnOrAfter="{confirmed_until}"/></saml:SubjectConfirmation>"""
ATTRIBUTE = (
    '<saml:Attribute Name="{}"><saml:AttributeValue xsi:type="xs:string">{}</saml:AttributeValue></saml:Attribute>'
)


@dataclass
class LyingSamlProvider:
    """An identity provider every part of whose responses can be changed."""

    key: SigningKey = field(default_factory=lambda: signing_key("idp"))
    signature: str = Saml.RSA_SHA256
    digest: str = Saml.SHA256
    signs: tuple[str, ...] = ("assertion",)

    def sign(self, xml: str) -> str:
        signed = OneLogin_Saml2_Utils.add_sign(
            xml, self.key.key, self.key.certificate, sign_algorithm=self.signature, digest_algorithm=self.digest
        )
        return str(signed.decode() if isinstance(signed, bytes) else signed)

    def values(self, request: SentRequest, login: str, changed: dict[str, Any]) -> dict[str, Any]:
        now = SystemClock().now()

        def at(minutes: float) -> str:
            return (now + timedelta(minutes=minutes)).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

        stated = {
            "prologue": "", "response_id": "_r1", "assertion_id": "_a1", "now": at(0), "status": "Success",
            "destination": request.acs, "in_response_to": request.id, "response_issuer": ENTITY_ID, "issuer": ENTITY_ID,
            "name_id": f"id-{login}", "name_format": PERSISTENT, "qualifier": "", "method": "bearer",
            "subject_in_response_to": request.id, "recipient": request.acs, "audience": request.issuer,
            "not_before": at(-1), "not_on_or_after": at(5), "confirmed_until": at(5), "authenticated_at": at(0),
            "attributes": {"email": login, "displayName": "Mira"}, **changed,
        }  # fmt: skip
        named = {key: stated[key] for key in ("in_response_to", "subject_in_response_to", "recipient", "audience")}
        stated["answers"] = f' InResponseTo="{named["in_response_to"]}"' if named["in_response_to"] else ""
        stated["subject_answers"] = (
            f' InResponseTo="{named["subject_in_response_to"]}"' if named["subject_in_response_to"] else ""
        )
        stated["recipient_stated"] = f' Recipient="{named["recipient"]}"' if named["recipient"] else ""
        stated["audience_restriction"] = (
            f"<saml:AudienceRestriction><saml:Audience>{named['audience']}</saml:Audience></saml:AudienceRestriction>"
            if named["audience"]
            else ""
        )
        stated["attributes"] = "".join(ATTRIBUTE.format(*pair) for pair in stated["attributes"].items())
        stated.setdefault("confirmation", CONFIRMATION.format(**stated))
        return stated

    def assertion(self, request: SentRequest, login: str, **changed: object) -> str:
        """Return a signed assertion, or an unsigned one."""
        made = ASSERTION.format(**self.values(request, login, changed))
        return self.sign(made) if "assertion" in self.signs else made

    def respond(self, request: SentRequest, login: str, *, assertions: str | None = None, **changed: object) -> str:
        """Return the XML of a response."""
        stated = self.values(request, login, changed)
        stated["assertions"] = self.assertion(request, login, **changed) if assertions is None else assertions
        made = RESPONSE.format(**stated)
        return self.sign(made) if "response" in self.signs else made


def packed(xml: str) -> str:
    """Return a response as the form of a provider carries it."""
    return base64.b64encode(xml.encode()).decode()


class _Form(HTMLParser):
    def __init__(self, page: str) -> None:
        super().__init__()
        self.action, self.fields = "", dict[str, str]()
        self.feed(page)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "form":
            self.action = given.get("action") or ""
        if tag == "input" and given.get("name"):
            self.fields[str(given["name"])] = given.get("value") or ""


def read_form(page: str) -> tuple[str, dict[str, str]]:
    """Return the address and the fields of the form of a page."""
    form = _Form(page)
    return form.action, form.fields


@dataclass(frozen=True)
class GoProvider:
    """The running identity provider of the Go module `github.com/crewjam/saml`."""

    address: str

    def metadata(self) -> str:
        return httpx.get(f"{self.address}/metadata").raise_for_status().text

    def register(self, metadata: str) -> None:
        """Let it know a service by its metadata."""
        httpx.post(f"{self.address}/services", content=metadata).raise_for_status()

    def signed_in(self, url: str, login: str) -> tuple[str, dict[str, str]]:
        """Do what a person's browser does there; return the address and fields of the form it sends on."""
        answer = httpx.get(url, params={**dict(parse_qsl(urlsplit(url).query)), "login": login})
        assert answer.status_code == 200, answer.text[:500]
        return read_form(answer.text)


@contextmanager
def go_provider(folder: Path) -> Iterator[GoProvider]:
    """Build and run the identity provider."""
    go = find_go()
    assert go is not None, "Go is installed by `npm run setup`"
    program = folder / "samlidp"
    source = ROOT / "e2e" / "support" / "samlidp"
    subprocess.run(
        [go, "build", "-trimpath", "-o", program, "."], cwd=source, env={**os.environ, **go_environment()}, check=True
    )
    with subprocess.Popen([program], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True) as process:
        assert process.stdout is not None
        try:
            address = process.stdout.readline().strip()
            assert address.startswith("http://localhost:"), "the provider did not start"
            yield GoProvider(address)
        finally:
            process.kill()


def fixed_time(moment: datetime) -> str:
    """Return a time as SAML writes it."""
    return moment.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")

"""Sign-in by SAML 2.0, started here: the request by redirect, the response by a form, with the configured provider.

python3-saml makes the request and verifies the response; what it tolerates and we do not is checked around it. Before it:
the form of each signature, because xmlsec follows references and transforms before it verifies a signature. After it: the
recipient, the request and the audience must be stated in the assertion, which is signed, and equal ours.
"""

import html
from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any, Final
from urllib.parse import urlencode, urlsplit

import structlog
import xmlsec
from cryptography.x509 import load_pem_x509_certificate
from lxml import etree
from onelogin.saml2.authn_request import OneLogin_Saml2_Authn_Request
from onelogin.saml2.errors import OneLogin_Saml2_Error, OneLogin_Saml2_ValidationError
from onelogin.saml2.idp_metadata_parser import OneLogin_Saml2_IdPMetadataParser
from onelogin.saml2.response import OneLogin_Saml2_Response
from onelogin.saml2.settings import OneLogin_Saml2_Settings
from onelogin.saml2.utils import OneLogin_Saml2_Utils

from slowpath.adapters.external_identities import MAX_SUBJECT, choose_name, make_sign_in_error, parse_email
from slowpath.adapters.saml_signatures import NAMES, check_signatures
from slowpath.core.ports import ExternalIdentity
from slowpath.core.settings import Settings

ISSUER_PREFIX: Final = "saml:"
ENTITY_PATH: Final = "/api/v1/saml/metadata"
ACS_PATH: Final = "/api/v1/saml/acs"
PERSISTENT: Final = "urn:oasis:names:tc:SAML:2.0:nameid-format:persistent"
BEARER: Final = "urn:oasis:names:tc:SAML:2.0:cm:bearer"
REDIRECT: Final = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-Redirect"
POST: Final = "urn:oasis:names:tc:SAML:2.0:bindings:HTTP-POST"
MAX_METADATA_BYTES: Final = 1 << 20
EMAIL_ATTRIBUTES: Final = (
    "email",
    "mail",
    "emailAddress",
    "http://schemas.xmlsoap.org/ws/2005/05/identity/claims/emailaddress",
    "urn:oid:0.9.2342.19200300.100.1.3",
    "urn:oid:1.2.840.113549.1.9.1",
)
NAME_ATTRIBUTES: Final = (
    "displayName",
    "name",
    "cn",
    "urn:oid:2.16.840.1.113730.3.1.241",
    "urn:oid:2.5.4.3",
    "http://schemas.microsoft.com/identity/claims/displayname",
)
FAULTS: Final = (
    OneLogin_Saml2_Error,
    OneLogin_Saml2_ValidationError,
    etree.LxmlError,
    xmlsec.Error,
    ValueError,
    TypeError,
    KeyError,
    IndexError,
    AttributeError,
)
"""What the libraries raise for a malformed response."""
REASONS: Final = {
    OneLogin_Saml2_ValidationError.STATUS_CODE_IS_NOT_SUCCESS: "the identity provider did not sign you in",
    OneLogin_Saml2_ValidationError.WRONG_INRESPONSETO: "the response belongs to another request",
    OneLogin_Saml2_ValidationError.WRONG_DESTINATION: "the response is for another address",
    OneLogin_Saml2_ValidationError.WRONG_AUDIENCE: "the assertion is for another service",
    OneLogin_Saml2_ValidationError.WRONG_ISSUER: "the response is from another identity provider",
    OneLogin_Saml2_ValidationError.ASSERTION_TOO_EARLY: "the assertion is not valid yet",
    OneLogin_Saml2_ValidationError.ASSERTION_EXPIRED: "the assertion has expired",
    OneLogin_Saml2_ValidationError.SESSION_EXPIRED: "the session of the identity provider has expired",
    OneLogin_Saml2_ValidationError.WRONG_SUBJECTCONFIRMATION: "the assertion has expired or is for another address",
    OneLogin_Saml2_ValidationError.NO_SIGNATURE_FOUND: "the response is not signed",
    OneLogin_Saml2_ValidationError.INVALID_SIGNATURE: "the signature is invalid",
}
log = structlog.get_logger(__name__)


class SamlProvider:
    """The configured identity provider."""

    def __init__(self, settings: Settings, idp: Mapping[str, Any]) -> None:
        """Set the provider, as python3-saml describes it. Raises `OneLogin_Saml2_Error` for an invalid one."""
        public_url = settings.public_url.rstrip("/")
        self._entity_id, self._acs_url = public_url + ENTITY_PATH, public_url + ACS_PATH
        self._idp_entity_id, self._sso_url = str(idp["entityId"]), str(idp["singleSignOnService"]["url"])
        self.issuer = ISSUER_PREFIX + self._idp_entity_id
        chosen = settings.saml_email_attribute
        self._email_attributes = (chosen,) if chosen else EMAIL_ATTRIBUTES
        self._emails_are_verified = settings.saml_emails == "verified"
        # The library puts the address into its template as it is.
        sso = {"url": html.escape(self._sso_url), "binding": REDIRECT}
        self._toolkit = OneLogin_Saml2_Settings(
            {
                "strict": True,
                "sp": {
                    "entityId": self._entity_id,
                    "assertionConsumerService": {"url": self._acs_url, "binding": POST},
                    "NameIDFormat": PERSISTENT,
                },
                "idp": {**idp, "singleSignOnService": sso},
                "security": {
                    "requestedAuthnContext": False,
                    "wantAttributeStatement": False,
                    "allowRepeatAttributeName": True,
                    "rejectDeprecatedAlgorithm": True,
                    "allowSingleLabelDomains": True,
                },
            }
        )

    def metadata(self) -> str:
        """Return our metadata (XML), for the identity provider."""
        made = self._toolkit.get_sp_metadata()
        return made.decode() if isinstance(made, bytes) else str(made)

    def begin(self, *, relay_state: str, forces_sign_in: bool = False) -> tuple[str, str]:
        """Return the URL to redirect the browser to, and the ID of the request."""
        request = OneLogin_Saml2_Authn_Request(self._toolkit, force_authn=forces_sign_in)
        query = urlencode({"SAMLRequest": request.get_request(), "RelayState": relay_state})
        return f"{self._sso_url}{'&' if '?' in self._sso_url else '?'}{query}", str(request.get_id())

    def finish(self, *, response: str, request_id: str) -> ExternalIdentity:
        """Return the identity that a response to this request states. Raises `NotAuthenticated`."""
        try:
            return self._identity(self._verify(response, request_id), request_id)
        except FAULTS as error:
            log.warning("saml.response_invalid", error=str(error)[:300])
            if isinstance(error, OneLogin_Saml2_Error) and error.code == OneLogin_Saml2_Error.PRIVATE_KEY_NOT_FOUND:
                raise make_sign_in_error(
                    "the identity provider encrypts its assertions",
                    remedy="An operator turns encryption off for Slowpath there. The response is sent over HTTPS.",
                ) from error
            code = error.code if isinstance(error, OneLogin_Saml2_ValidationError) else None
            raise make_sign_in_error(REASONS.get(code, "the response is invalid")) from error

    def _verify(self, response: str, request_id: str) -> OneLogin_Saml2_Response:
        """Return a verified response: one assertion, signed by the identity provider, in time."""
        parsed = OneLogin_Saml2_Response(self._toolkit, response)
        check_signatures(parsed.document)
        acs = urlsplit(self._acs_url)
        here = {
            "https": "on" if acs.scheme == "https" else "off",
            "http_host": acs.netloc,
            "script_name": acs.path,
        }
        parsed.is_valid(here, request_id, raise_exceptions=True)
        return parsed

    def _identity(self, parsed: OneLogin_Saml2_Response, request_id: str) -> ExternalIdentity:
        [assertion] = parsed.document.xpath("/samlp:Response/saml:Assertion", namespaces=NAMES)
        self._check_receiver(parsed, assertion, request_id)
        name_id = parsed.get_nameid_data()
        subject = name_id["Value"]
        if name_id.get("Format") != PERSISTENT:
            raise make_sign_in_error(
                "the identity provider did not send a persistent name",
                remedy="An operator sets the format of the NameID to persistent there.",
            )
        if name_id.get("NameQualifier", self._idp_entity_id) != self._idp_entity_id:
            raise make_sign_in_error("the name is that of another identity provider")
        if not 0 < len(subject) <= MAX_SUBJECT or not subject.isprintable():
            raise make_sign_in_error("the name has more than 255 characters, or invalid ones")
        attributes = {**parsed.get_friendlyname_attributes(), **parsed.get_attributes()}
        email = parse_email(_first(attributes, self._email_attributes))
        return ExternalIdentity(
            self.issuer,
            subject,
            email,
            email is not None and self._emails_are_verified,
            choose_name(email, *(_first(attributes, (name,)) for name in NAME_ATTRIBUTES)),
            authenticated_at=_find_authentication(assertion),
        )

    def _check_receiver(self, parsed: OneLogin_Saml2_Response, assertion: Any, request_id: str) -> None:  # noqa: ANN401 - lxml has no types
        """Check that the assertion is for us and answers this request. The library accepts one that does not say so."""
        if parsed.document.get("InResponseTo") not in {None, request_id}:
            raise make_sign_in_error("the response belongs to another request")
        if parsed.document.get("Destination") not in {None, self._acs_url}:
            raise make_sign_in_error("the response is for another address")
        confirmations = assertion.xpath("saml:Subject/saml:SubjectConfirmation", namespaces=NAMES)
        found = assertion.xpath("saml:Subject/saml:SubjectConfirmation/saml:SubjectConfirmationData", namespaces=NAMES)
        if len(confirmations) != 1 or len(found) != 1 or confirmations[0].get("Method") != BEARER:
            raise make_sign_in_error("the assertion does not have one confirmation of its subject")
        if found[0].get("InResponseTo") != request_id:
            raise make_sign_in_error(
                "the assertion answers no request of this browser",
                remedy="Start at the sign-in page of Slowpath, not at a list of applications.",
            )
        if found[0].get("Recipient") != self._acs_url or found[0].get("NotOnOrAfter") is None:
            raise make_sign_in_error("the assertion is for another address")
        restrictions = assertion.xpath("saml:Conditions/saml:AudienceRestriction", namespaces=NAMES)
        audiences = [one.xpath("saml:Audience/text()", namespaces=NAMES) for one in restrictions]
        if not audiences or not all(self._entity_id in one for one in audiences):
            raise make_sign_in_error("the assertion is for another service")


def _first(attributes: Mapping[str, list[Any]], names: tuple[str, ...]) -> object:
    """Return the first value of the first of these attributes, whose names may differ in case."""
    by_name = {name.casefold(): values for name, values in attributes.items()}
    return next((found[0] for name in names if (found := by_name.get(name.casefold()))), None)


def _find_authentication(assertion: Any) -> datetime | None:  # noqa: ANN401 - lxml has no types
    """Return when the user signed in at the identity provider."""
    stated = assertion.xpath("saml:AuthnStatement/@AuthnInstant", namespaces=NAMES)
    return datetime.fromtimestamp(OneLogin_Saml2_Utils.parse_SAML_to_time(str(stated[0])), UTC) if stated else None


def create_saml_provider(settings: Settings) -> SamlProvider | None:
    """Return the configured identity provider, or None. Raises `ValueError` for an invalid configuration."""
    if not settings.has_saml:
        return None
    try:
        return SamlProvider(settings, _describe_provider(settings))
    except FAULTS as error:
        raise ValueError(f"The SAML identity provider is not configured correctly: {error}") from error


def _describe_provider(settings: Settings) -> dict[str, Any]:
    """Return entity ID, address and certificates of the identity provider. Raises `ValueError`."""
    idp = _read_metadata(settings) if settings.saml_metadata_file else _read_settings(settings)
    url = urlsplit(str(idp["singleSignOnService"]["url"]))
    if url.scheme != "https" and url.hostname not in {"127.0.0.1", "localhost", "::1"}:
        raise ValueError("its address must use https, unless it is on this machine")
    certificates = idp["x509certMulti"]["signing"]
    if not certificates:
        raise ValueError("it has no certificate to sign with")
    for certificate in certificates:
        load_pem_x509_certificate(OneLogin_Saml2_Utils.format_cert(certificate).encode())
    return idp


def _read_settings(settings: Settings) -> dict[str, Any]:
    """Return the identity provider of the separate settings. Raises `ValueError`."""
    if not settings.saml_sso_url or not settings.saml_certificate:
        raise ValueError(
            "SLOWPATH_SAML_ENTITY_ID needs SLOWPATH_SAML_SSO_URL and SLOWPATH_SAML_CERTIFICATE, "
            "or SLOWPATH_SAML_METADATA_FILE"
        )
    return {
        "entityId": settings.saml_entity_id,
        "singleSignOnService": {"url": settings.saml_sso_url},
        "x509certMulti": {"signing": [settings.saml_certificate]},
    }


def _read_metadata(settings: Settings) -> dict[str, Any]:
    """Return the identity provider of the metadata file. Raises `ValueError`."""
    assert settings.saml_metadata_file is not None
    try:
        text = settings.saml_metadata_file.read_bytes()
    except OSError as error:
        raise ValueError(f"SLOWPATH_SAML_METADATA_FILE cannot be read: {error.strerror}") from error
    if len(text) > MAX_METADATA_BYTES:
        raise ValueError(f"SLOWPATH_SAML_METADATA_FILE has more than {MAX_METADATA_BYTES:,} bytes")
    found = OneLogin_Saml2_IdPMetadataParser.parse(text, entity_id=settings.saml_entity_id or None)
    idp = found.get("idp", {})
    if found.get("security", {}).get("authnRequestsSigned"):
        raise ValueError("it requires signed requests, which Slowpath does not send")
    if not idp.get("entityId") or not idp.get("singleSignOnService"):
        raise ValueError("SLOWPATH_SAML_METADATA_FILE names no identity provider with the HTTP-Redirect binding")
    several, one = idp.get("x509certMulti", {}).get("signing", []), idp.get("x509cert")
    return {
        "entityId": idp["entityId"],
        "singleSignOnService": idp["singleSignOnService"],
        "x509certMulti": {"signing": several or ([one] if one else [])},
    }

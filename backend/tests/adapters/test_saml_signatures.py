"""Signatures are refused for their form, before anything that they name is opened or run."""

from typing import Any

import pytest
from lxml import etree
from onelogin.saml2.constants import OneLogin_Saml2_Constants as Saml

from slowpath.adapters.saml_signatures import check_signatures
from tests.support.saml_providers import LyingSamlProvider, SentRequest

REQUEST = SentRequest("_q1", "https://slowpath.example/acs", "https://slowpath.example", "relay", False, "")
ENVELOPED = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"


def signed(**how: Any) -> str:  # noqa: ANN401 - any part of a provider
    return LyingSamlProvider(**how).respond(REQUEST, "mira@corp.example")


def test_signatures_of_the_form_of_saml_are_accepted() -> None:
    for signs in (("assertion",), ("response",), ("assertion", "response"), ()):
        check_signatures(etree.fromstring(signed(signs=signs)))
    for signature, digest in ((Saml.RSA_SHA384, Saml.SHA384), (Saml.RSA_SHA512, Saml.SHA512)):
        check_signatures(etree.fromstring(signed(signature=signature, digest=digest)))


@pytest.mark.parametrize(
    ("former", "new", "reason"),
    [
        ('URI="#_a1"', 'URI="file:///etc/hostname"', "does not reference"),
        ('URI="#_a1"', 'URI="http://127.0.0.1:9/"', "does not reference"),
        ('URI="#_a1"', 'URI=""', "does not reference"),
        ('URI="#_a1"', 'URI="#_r1"', "does not reference"),
        ("</ds:Reference>", '</ds:Reference><ds:Reference URI="http://127.0.0.1:9/"/>', "does not reference"),
        (ENVELOPED, "http://www.w3.org/TR/1999/REC-xslt-19991116", "transforms"),
        (ENVELOPED, "http://www.w3.org/TR/1999/REC-xpath-19991116", "transforms"),
        ("xml-exc-c14n#", "xml-exc-c14n#WithComments", "canonicalization"),
        ("xmldsig-more#rsa-sha256", "xmldsig-more#hmac-sha256", "signature algorithm"),
        ("xmldsig-more#rsa-sha256", "xmldsig-more#rsa-md5", "signature algorithm"),
        ("xmlenc#sha256", "xmldsig-more#md5", "digest algorithm"),
        ("</ds:Signature>", "<ds:Object/></ds:Signature>", "more than a signature"),
        ("<samlp:Status>", '<samlp:Extensions ID="_a1"/><samlp:Status>', "same ID"),
        ("<samlp:Status>", '<samlp:Extensions xml:id="_a1"/><samlp:Status>', "same ID"),
        ("<saml:Conditions", "<saml:Advice><ds:Signature xmlns:ds='http://www.w3.org/2000/09/xmldsig#'/></saml:Advice><saml:Conditions", "not that of"),
        ("samlp:Response", "samlp:LogoutResponse", "not a response"),
    ],
)  # fmt: skip
def test_other_forms_are_refused(former: str, new: str, reason: str) -> None:
    changed = signed().replace(former, new)
    with pytest.raises(ValueError, match=reason):
        check_signatures(etree.fromstring(changed))


@pytest.mark.parametrize("how", [{"signature": Saml.RSA_SHA1}, {"digest": Saml.SHA1}], ids=str)
def test_sha1_is_refused(how: dict[str, str]) -> None:
    with pytest.raises(ValueError, match="not allowed; SHA-256 or longer is"):
        check_signatures(etree.fromstring(signed(**how)))

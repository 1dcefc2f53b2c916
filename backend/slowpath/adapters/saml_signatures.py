"""The form of XML signatures that a SAML response may have, checked before anything of them is computed.

xmlsec follows a signature's references and transforms before it verifies it: a reference may name a file or address, and
a transform may be a program. Only what SAML prescribes is let through (saml-core 5.4).
"""

from typing import Any, Final

NAMES: Final = {
    "samlp": "urn:oasis:names:tc:SAML:2.0:protocol",
    "saml": "urn:oasis:names:tc:SAML:2.0:assertion",
    "ds": "http://www.w3.org/2000/09/xmldsig#",
}
XML_ID: Final = "{http://www.w3.org/XML/1998/namespace}id"
EXCLUSIVE: Final = "http://www.w3.org/2001/10/xml-exc-c14n#"
ENVELOPED: Final = "http://www.w3.org/2000/09/xmldsig#enveloped-signature"
_MORE: Final = "http://www.w3.org/2001/04/xmldsig-more#"
SIGNATURE_METHODS: Final = frozenset(
    _MORE + name for name in ("rsa-sha256", "rsa-sha384", "rsa-sha512", "ecdsa-sha256", "ecdsa-sha384", "ecdsa-sha512")
)
"""Excludes SHA-1 and MD5, and HMAC: a certificate must not be used as a secret."""
DIGEST_METHODS: Final = frozenset(
    {
        "http://www.w3.org/2001/04/xmlenc#sha256",
        _MORE + "sha384",
        "http://www.w3.org/2001/04/xmlenc#sha512",
    }
)


def check_signatures(root: Any) -> None:  # noqa: ANN401 - lxml has no types
    """Check where the signatures of a response are, and how they are made. Raises `ValueError` with the reason."""
    if root.tag != f"{{{NAMES['samlp']}}}Response":
        raise ValueError("The document is not a response.")
    ids = root.xpath("//@ID")
    if len(ids) != len(set(ids)) or root.xpath("//@xml:id"):
        raise ValueError("Two elements have the same ID.")
    signable = [root, *root.xpath("saml:Assertion", namespaces=NAMES)]
    for signature in root.iter(f"{{{NAMES['ds']}}}Signature"):
        if signature.getparent() not in signable:
            raise ValueError("The signature is not that of the response or its assertion.")
        _check_signature(signature)


def _check_signature(signature: Any) -> None:  # noqa: ANN401 - lxml has no types
    """Check that a signature covers its parent as a whole, with allowed algorithms."""
    parts = [child.tag.rpartition("}")[2] for child in signature]
    if parts not in (["SignedInfo", "SignatureValue"], ["SignedInfo", "SignatureValue", "KeyInfo"]):
        raise ValueError("The signature contains more than a signature.")

    def algorithms(path: str) -> list[str]:
        return [str(one) for one in signature.xpath(f"{path}/@Algorithm", namespaces=NAMES)]

    if algorithms("ds:SignedInfo/ds:CanonicalizationMethod") != [EXCLUSIVE]:
        raise ValueError("The canonicalization of the signature is not allowed.")
    if not SIGNATURE_METHODS.issuperset(used := algorithms("ds:SignedInfo/ds:SignatureMethod")) or len(used) != 1:
        raise ValueError(f"The signature algorithm {', '.join(used)} is not allowed; SHA-256 or longer is.")
    references = signature.xpath("ds:SignedInfo/ds:Reference", namespaces=NAMES)
    if len(references) != 1 or references[0].get("URI") != f"#{signature.getparent().get('ID')}":
        raise ValueError("The signature does not reference the element that contains it.")
    if (
        not DIGEST_METHODS.issuperset(used := algorithms("ds:SignedInfo/ds:Reference/ds:DigestMethod"))
        or len(used) != 1
    ):
        raise ValueError(f"The digest algorithm {', '.join(used)} is not allowed; SHA-256 or longer is.")
    if algorithms("ds:SignedInfo/ds:Reference/ds:Transforms/ds:Transform") not in ([ENVELOPED, EXCLUSIVE], [ENVELOPED]):
        raise ValueError("The transforms of the signature are not allowed.")

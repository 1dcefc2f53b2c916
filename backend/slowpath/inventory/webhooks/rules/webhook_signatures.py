"""Verify signatures of deliveries. Every comparison takes constant time."""

import base64
import binascii
import hmac
import re
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Final

SKEW: Final = timedelta(minutes=5)
"""Maximum age of a delivery with a timestamp, against replays."""
PREFIX: Final = "whsec_"
BODY_SIGNATURE: Final = re.compile(r"sha256=[0-9a-f]{64}")
USABLE: Final = re.compile(r"[\x21-\x7e]{16,200}")
"""A custom secret: long enough, and valid in a header."""

Headers = Mapping[str, str]
Body = Iterable[bytes]


def verify_body_signature(header: str, secret: str, headers: Headers, body: Body) -> bool:
    """Return whether a header, such as GitHub's `X-Hub-Signature-256`, is the HMAC-SHA-256 of the body."""
    given = headers.get(header, "")
    if BODY_SIGNATURE.fullmatch(given) is None:
        return False
    digest = hmac.new(secret.encode(), digestmod="sha256")
    for chunk in body:
        digest.update(chunk)
    return hmac.compare_digest(given, f"sha256={digest.hexdigest()}")


def verify_gitlab_signature(secret: str, headers: Headers, body: Body, now: datetime) -> bool:
    """Return whether a GitLab delivery has a valid signature (Standard Webhooks) or the secret token.

    A delivery with a signature needs a valid one, whatever else it carries.
    """
    if "webhook-signature" in headers:
        return _standard(secret, headers, body, now)
    given = headers.get("x-gitlab-token", "")
    return hmac.compare_digest(given.encode("utf-8", "replace"), secret.encode())


def _standard(secret: str, headers: Headers, body: Body, now: datetime) -> bool:
    message_id, at = headers.get("webhook-id", ""), headers.get("webhook-timestamp", "")
    key = _key(secret)
    if key is None or not message_id or not re.fullmatch(r"[0-9]{1,12}", at):
        return False
    if abs(now.timestamp() - int(at)) > SKEW.total_seconds():
        return False
    digest = hmac.new(key, f"{message_id}.{at}.".encode("utf-8", "replace"), "sha256")
    for chunk in body:
        digest.update(chunk)
    right = f"v1,{base64.b64encode(digest.digest()).decode()}"
    given = headers.get("webhook-signature", "")[:1000].split(" ")
    return any(hmac.compare_digest(each.encode("utf-8", "replace"), right.encode()) for each in given)


def _key(secret: str) -> bytes | None:
    try:
        return base64.b64decode(secret.removeprefix(PREFIX), validate=True)
    except (binascii.Error, ValueError):
        return None

"""SCIM 2.0 (RFC 7643, RFC 7644): an identity provider provisions the members of a team."""

"""Operations of SCIM, one module per resource."""

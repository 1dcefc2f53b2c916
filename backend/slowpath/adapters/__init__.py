"""Implementations of the ports in `core.ports`; only the applications create them."""

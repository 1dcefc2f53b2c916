"""Detect and group change points in series over builds."""

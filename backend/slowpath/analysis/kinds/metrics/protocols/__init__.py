"""Requests of remote write and OpenTelemetry, parsed in place."""

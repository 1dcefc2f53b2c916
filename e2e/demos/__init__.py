"""Demos of complete investigations, run headless on a temporary stack: `npm run demo:NAME`."""

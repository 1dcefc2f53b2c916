"""Whole stories, played headless on a temporary stack: `npm run demo:NAME`."""

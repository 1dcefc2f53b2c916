"""Wire shapes of the inbox."""

"""Jobs, accounts and HTTP: what every other wing uses."""

"""Jobs, accounts and HTTP: the packages that every other wing uses."""

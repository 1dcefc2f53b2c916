"""Taking out of what is shown to strangers: label values, paths, hosts, people."""

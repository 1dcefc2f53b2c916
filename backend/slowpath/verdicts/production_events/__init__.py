"""Production events: incidents of a service in an environment, with one cause, from their detection to the proof of their end."""

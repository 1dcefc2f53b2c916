"""Request and response bodies of bisects, probes and runners."""

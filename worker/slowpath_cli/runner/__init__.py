"""`slowpath runner`: leases probes of bisects, deploys them by a driver, measures their windows, and tears them down."""

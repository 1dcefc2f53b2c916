"""Services of metric sources: settings, history imports, federated queries."""

"""Rules and value types of production events, without a database."""

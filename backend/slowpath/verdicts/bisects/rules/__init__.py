"""Rules and value types of bisects, without a database."""

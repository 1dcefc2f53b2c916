"""Services of the compiler's evidence."""

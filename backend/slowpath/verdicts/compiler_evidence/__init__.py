"""Evidence of the compiler's work in the builds of a comparison: assembly of functions, and the compiler's reasons."""

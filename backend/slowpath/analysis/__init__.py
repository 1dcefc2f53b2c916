"""Pure arithmetic about performance: no I/O, no clock, no framework, no dice of its own."""

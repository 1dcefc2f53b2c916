"""Two sets of decoded execution traces in, findings and a page out. Everything here is arithmetic on columns."""

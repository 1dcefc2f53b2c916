"""Two sets of decoded profiles in, findings and drawings out. Everything here is arithmetic on columns."""

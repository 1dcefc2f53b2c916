"""The workshop behind the house: carries out jobs. It uses the house; the house does not know it."""

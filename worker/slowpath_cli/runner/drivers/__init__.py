"""The ways to deploy. Each module offers one class that keeps `Driver`, and `read(section, place) -> Driver`."""

"""Output of `go test -bench`: what was measured of each benchmark."""

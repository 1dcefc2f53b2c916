"""The verbs on spans: taking pushes, folding them, reading sets."""

"""Services of gap explanations: request one, select traces, record the result."""

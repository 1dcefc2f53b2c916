"""Compare stack-growth logs: how often goroutine stacks grow, attributed callers, and their changes."""

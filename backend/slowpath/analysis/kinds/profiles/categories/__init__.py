"""Runtime categories: their rules, the attribution of stacks to them, and advice on each."""

"""What can go wrong in a tool itself; errors of the API are passed on."""


class InvalidToolCall(Exception):
    """The arguments of a tool fit its schema, but name nothing that exists."""

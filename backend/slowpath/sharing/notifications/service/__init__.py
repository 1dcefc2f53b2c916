"""The verbs on channels and messages: keeping channels, telling of events, delivering."""

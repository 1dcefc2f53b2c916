"""Jobs for users: state, progress, cancel, retry, and the event stream."""

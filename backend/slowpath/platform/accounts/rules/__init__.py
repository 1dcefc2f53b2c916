"""Pure decisions about users, tokens and browsers: time, random bytes and request headers are arguments."""

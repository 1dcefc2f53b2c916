"""Pure decisions about people, tokens and browsers: time, random bytes and the addresses of a request come in as arguments."""

"""Operations on channels and notifications: manage channels, notify of events, deliver."""

"""Operations on repositories and commits."""

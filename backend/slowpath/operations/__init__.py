"""Operations of administrators: retention and storage usage."""

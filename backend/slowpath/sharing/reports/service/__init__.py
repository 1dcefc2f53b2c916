"""Operations on reports: edit, record, publish, share, bundle."""

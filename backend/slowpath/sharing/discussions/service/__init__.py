"""Operations on discussions, mentions and the activity feed."""

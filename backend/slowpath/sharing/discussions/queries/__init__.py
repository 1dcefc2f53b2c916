"""SELECT statements of discussions and of the activity feed."""

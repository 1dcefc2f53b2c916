"""One set of artifacts against another: findings with their uncertainty, views, exports."""

"""Operations on webhooks: manage them, receive and process deliveries, reconcile missed ones."""

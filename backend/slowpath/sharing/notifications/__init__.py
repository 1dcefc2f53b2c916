"""Telling people and machines: channels, and each message on its way until it has arrived or been given up."""

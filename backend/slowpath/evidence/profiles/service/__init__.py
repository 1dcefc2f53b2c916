"""Services of profiles: decoded profiles, profile sets, their views and exports."""

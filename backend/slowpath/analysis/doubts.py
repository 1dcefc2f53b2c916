"""Why a comparison may mislead: what differs between the two sides, and what the data themselves betray."""

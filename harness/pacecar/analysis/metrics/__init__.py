"""What a fork shows: every metric, and how it is read from the tables of a fork."""

"""Which frames are blamed, on profiles with a known truth."""

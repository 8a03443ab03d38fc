"""Which frames are blamed, on profiles whose truth is known."""

"""What holds for every test."""

from hypothesis import settings

# No test asserts a time, so no example of a property may fail by being slow.
settings.register_profile("untimed", deadline=None)
settings.load_profile("untimed")

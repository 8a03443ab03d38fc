"""The shapes that rooms hand each other: what is asked for, what was recorded, what was concluded."""

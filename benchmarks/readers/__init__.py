"""How fast files of other programs are read."""

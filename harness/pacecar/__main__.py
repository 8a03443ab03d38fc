"""`python -m pacecar`: the command, where its script is not on the PATH."""

from pacecar.cli import main

main()

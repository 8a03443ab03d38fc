"""What Pacecar stands on: the folders it writes to, the processes and folders it owns, the container engine.

In: commands to start, files to open. Out: what is owned and ended with us, and bytes read within bounds.
"""

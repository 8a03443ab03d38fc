"""What Pacecar stands on: the folders it writes to, the processes and folders it owns, the container engine."""

"""What whole comparisons conclude on public services that Pacecar was not written for."""

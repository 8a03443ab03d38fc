"""What whole comparisons conclude on public services that nothing here was made for."""

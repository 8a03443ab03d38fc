"""What whole comparisons of the sample service conclude."""

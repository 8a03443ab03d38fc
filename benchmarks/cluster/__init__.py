"""What deploying into a cluster changes of what a comparison concludes."""

"""One module per reader; the package `fuzzing` says what is in it."""

"""One module per reader; the package `fuzzing` says what each contains."""

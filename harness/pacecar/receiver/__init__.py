"""Takes the profiling agent's uploads and keeps the raw chunks."""

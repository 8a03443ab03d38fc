"""Run Gatling and read its log."""

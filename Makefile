PY := .venv/bin
.venv: ; python3 -m venv .venv

"""What reads the counters of one fork at the edges of its windows, wherever the fork runs.

`watch` says what the session may ask for, `reading` what it gets. `local` reads a fork whose processes this machine
has. What the counters are is known to `probes` alone.
"""

"""The conductor: deploy, warm, load, observe, archive; one pair after the other.

`run` goes through the pairs of a run, `pair` through the steps of one pair; `fork_group` deploys, loads and ends the
forks that are up together, by `warming` until they are measured and by `loading` window after window.
`window_counters` reads every counter at the edges of the windows, `tables` turns raw files into tables once no window
is measured, and `progress` says what is going on and keeps the time of each phase. `stepping` puts one fork under one
load after the other, for whoever wants to know which load fits, and archives nothing.
"""

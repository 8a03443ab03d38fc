"""Servers that people run already: Prometheus is asked, Pyroscope is told.

In: questions, profiles and a server's address. Out: answers and receipts, or why there are none.

    exchange     one HTTP request, bounded in time and size; no redirects, no proxies
    credentials  what a server wants to know of us, from the environment alone
    prometheus   a number for a window
    discovery    the file in which Prometheus finds the forks
    pyroscope    profiles with their labels

Neither is needed for a verdict, and neither may disturb one: nothing here runs while a window is measured, and what a
server does wrong is returned as half a sentence, never raised.
"""

"""A fork that is a service of the user's own compose file.

`facts` reads what the file says of the service, `overlay` writes what is laid over it for one fork, `bridge` makes the
network by which its agents reach us, `deployer` starts the fork, `container` asks the engine about it, `fork` is the
fork until its end, `complaints` turns what Compose says into sentences.
"""

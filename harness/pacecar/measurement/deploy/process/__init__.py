"""A fork that is a process of its own: `deployer` starts the target's command, `fork` is the fork until its end."""

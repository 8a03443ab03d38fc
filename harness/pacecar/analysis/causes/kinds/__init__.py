"""One module a kind of cause, each with its `KIND`, called like it. None of them knows another."""

"""The HTTP side: what is on the wire, and nothing of the rules."""

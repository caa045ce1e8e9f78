"""The wishes of a profile: items, lists, shares, copies, reservations, and sign-in."""

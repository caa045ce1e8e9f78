"""The handlers of the routes. Each decodes its request and calls one use-case."""

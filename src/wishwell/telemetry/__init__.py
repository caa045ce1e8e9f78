"""What operators read: the log, the output of commands, Prometheus metrics."""

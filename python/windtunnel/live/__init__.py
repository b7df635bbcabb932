"""A network of the machine's own kernel: namespaces as hosts, and the router between them, see `windtunnel.live.lab`."""

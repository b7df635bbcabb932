"""The machine's own kernel as a backend: namespaces as hosts, the simulator's links on a real clock between them."""

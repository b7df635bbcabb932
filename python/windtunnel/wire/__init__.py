"""Two ends of a path that exists: what measures it, and what answers. Imports nothing that is slow to load, nor the core."""

"""The real Linux TCP stack in virtual time: kernels built from any source, and the guests that run them."""

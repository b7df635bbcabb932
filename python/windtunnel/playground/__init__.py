"""The playground: one page with the simulator in it, for a browser, without a server.

The page, ``playground.html``, is made by `windtunnel.playground.making` of the files in ``sources`` and of ``crates/web`` compiled to
WebAssembly. It is part of the package, so that it opens without a compiler.
"""

from windtunnel.playground.links import link, page

__all__ = ["link", "page"]

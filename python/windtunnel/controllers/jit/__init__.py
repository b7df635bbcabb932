"""Classes whose hooks Numba, an extra of the package, compiles to native code: the same class, the same bits."""

from windtunnel.controllers.jit.marked import NEEDED, compiled, is_compiled, numba_version, table

__all__ = ["NEEDED", "compiled", "is_compiled", "numba_version", "table"]

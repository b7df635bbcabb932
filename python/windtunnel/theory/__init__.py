"""Closed forms and small models: what theory says a run should show. Pure functions, each with its source.

One idea per module: `square_root`, `padhye`, `laws` (increase and decrease), `epochs`, `responses`, `rtt_unfairness`, `delay_based`,
`convergence`, `synchronised`, `buffers`, `overhead`, `startup`, `refill`, `synthetic`, and `overlays` for the curves that figures draw.
Arguments are floats or arrays in SI units, results have the broadcast shape, and a value outside a function's range gives NaN. Only
`overlays` takes and gives the units of a figure's axes. Nothing here runs or reads a run.
"""

"""The register's metrics by name, a module for each family; `windtunnel.metrics.registry` puts them together."""

"""Real isolation of what `ctx_execute` and `ctx_batch` run: policy `sandbox` (docs/SECURITY.md, docs/adr/0006)."""

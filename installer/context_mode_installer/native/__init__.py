"""The hosts' own plugin and extension form: made from a spec, found on a machine, kept from being active twice."""

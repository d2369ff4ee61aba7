"""The one place that holds the version; the build reads it from here."""

VERSION = "0.1.0"

"""The shell's seat: runs a host's commands by the real shell and shortens what comes out (docs/shell-seat.md)."""

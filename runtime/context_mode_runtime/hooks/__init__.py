"""One hook call: payload on stdin, reply on stdout. Whatever happens, the host goes on."""

"""Sizes in bytes of UTF-8 and times in milliseconds that users and hosts rely on (contract, section 7)."""

OUTPUT_CAP = 16_384
"""Longest tool reply, and the size over which a whole-file read is routed to us."""
SHORT_REPLY = 4_096
"""Longest reply that stands for a stored text, its pointer line included."""
REPLACE_TRIGGER_BYTES = 4_096
"""A host tool's text output over this size is stored and replaced."""
MAX_CHUNK_BYTES = 4_096
"""No stored chunk is longer, whatever the text."""
SNIPPET_MAX_BYTES = 800
"""Longest snippet of one search hit."""
STATE_BUDGET = 2_048
"""Longest state block, and the most that one hook reply adds to a conversation."""
RESUME_CAP = 2_048
"""Longest piece of one journal row in one reply."""
ROUTE_TEXT_MAX = 2_000
"""Longest text of a routing reply: eight hosts pass it uncut."""
HOWTO_MAX = 600
"""Longest how-to text at the start of a conversation."""
RRF_K = 60
"""Constant of reciprocal rank fusion (Cormack et al., SIGIR 2009)."""
EXEC_TIMEOUT_MS = 600_000
"""From receipt of a call to its answer."""
DB_TIMEOUT_MS = 5_000
"""SQLite busy timeout."""
HOOK_TIMEOUT_MS = 5_000
"""A hook's own time limit where the host's is not smaller."""
MOVED_OUTPUT_MAX = 16 * 1024 * 1024
"""Largest file of moved-away output that a hook reads."""
BUDGET_WINDOW_MS = 60_000
"""Sliding window of the search budget."""
BUDGET_CONVERSATIONS = 4_096
"""Conversations whose search calls are remembered; the one used longest ago goes first."""
LOG_MAX_BYTES = 1024 * 1024
"""`hook-errors.log` is rotated at this size."""

"""Shell text: what it would run, where its output goes. Hook path: no `re`, linear time, never raises."""

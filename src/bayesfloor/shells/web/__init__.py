"""A page on this machine: drop a table on it, choose the label, read the report.

`server` binds and runs, `security` guards every request, `routes` answers them. `board` holds what
each tab has: its `uploads` and its `jobs`, which a `lane` hands to a worker process one after
another. `worker` is all that runs there. Nothing here opens a path that a request names.

Not public, and may change at any time: rely on the names in `bayesfloor.__all__`.
"""

"""The process in which a TARGET runs: `sandbox` is the parent's handle on it, `process` starts it, `worker` is what it
runs, `transport` is how arguments and answers travel.
"""

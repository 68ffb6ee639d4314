"""The process in which a TARGET runs.

`sandbox` is the parent's handle, `process` starts the child, `worker` is the program of the child, and `transport`
encodes arguments and decodes answers.
"""

"""The top-k SVM on examples that are cut into parts, each with the duals of its own examples.

part      the examples and the duals of a part     combined   a round of one step for all examples
tasks     what is computed for one part            listed     a round of many steps for the listed examples
local     the parts in the memory of one process   rounds     rounds until the gap is small, and the rule that chooses

A task reads one part and what the driver sends to all, and returns arrays and numbers that the driver adds up, and a
new state of the part. It changes nothing that it was given. So a task may run in any process, and may be run again.
"""

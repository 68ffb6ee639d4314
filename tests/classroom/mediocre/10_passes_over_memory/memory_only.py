"""The model of bytes alone, as in the notebook: right as long as memory is the limit of each step."""

LOSES = {"running_time": 2}
FEEDBACK = "it is right in all random cases; special ones fail"
SAYS = ["you forget the operations. Where they take longer than the bytes, they are the limit."]


def predict(reads, writes, operations, length, itemsize, bandwidth, speed, call):
    return sum(call + (r + w) * itemsize * length / bandwidth for r, w in zip(reads, writes, strict=True))

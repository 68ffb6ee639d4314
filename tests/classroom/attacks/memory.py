# === memory
"""Takes memory where nobody might look: in children of a thread, under odd names, while the judge computes."""

import ctypes
import os
import threading
import time

WORD = "cell simplex: left out, out of memory: took more than 1024 MiB"


def child():
    if os.fork() == 0:
        libc = ctypes.CDLL(None)
        libc.prctl(15, b"\xff) \xfe", 0, 0, 0)  # a name that is no text
        libc.prctl(4, 0, 0, 0, 0)  # its memory cannot be looked at
        kept = b"x" * (700 << 20)
        time.sleep(1000)
        print(len(kept))


for _ in range(2):
    thread = threading.Thread(target=child)
    thread.start()
    thread.join()
time.sleep(30)
print("HARMED")

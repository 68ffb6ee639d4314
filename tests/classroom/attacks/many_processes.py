# === many_processes
"""Starts processes and threads without end (some hundreds, for the sake of those who run this test)."""

import os
import threading
import time

WORD = "cell simplex"
children = []
threading.stack_size(1 << 16)
threads = [threading.Thread(target=time.sleep, args=(20,), daemon=True) for _ in range(300)]
for thread in threads:
    thread.start()
time.sleep(1)
for _ in range(200):
    if os.fork() == 0:
        time.sleep(1000)
        os._exit(0)
time.sleep(30)
print("HARMED")

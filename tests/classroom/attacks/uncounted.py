# === uncounted
"""Takes memory that belongs to no process, and fills each folder that it can write to."""

import ctypes
import os

WORD = "is worth reading: it uses"
libc = ctypes.CDLL(None, use_errno=True)
if hasattr(os, "memfd_create"):
    try:
        os.memfd_create("LEAKED")
        print("HARMED memfd_create")
    except OSError:
        pass
for name, arguments in (
    ("shmget", (0, ctypes.c_size_t(1 << 20), 0o1600)),
    ("semget", (0, 32000, 0o1600)),
    ("msgget", (0, 0o1600)),
):
    if getattr(libc, name)(*arguments) >= 0:
        print("HARMED", name)
written = 0
for folder in {line.split()[4] for line in open("/proc/self/mountinfo")} | {"/", os.getcwd(), "/var/tmp", "/judged"}:
    path = os.path.join(folder, "fill")
    try:
        with open(path, "wb", buffering=0) as file:
            for _ in range(100):
                written += file.write(bytes(1 << 20))
    except OSError:
        pass
    print(folder, written >> 20)
if written > 100 << 20:
    print("HARMED", written)

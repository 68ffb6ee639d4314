# === leaves_its_prison
"""Uses what root may do: mounts, namespaces, settings of the machine, devices, other processes, the network."""

import ctypes
import os
import socket
import sys

WORD = "cell simplex is worth reading: it uses"
libc = ctypes.CDLL(None, use_errno=True)
REMOUNT, BIND, USER, MOUNTS = 0x20, 0x1000, 0x10000000, 0x20000


def succeeds(what, function):
    try:
        if function():
            print("HARMED", what)
    except Exception:
        pass


def writes(path, text):
    with open(path, "r+") as file:
        file.write(text)
    return True


for place in {line.split()[4] for line in open("/proc/self/mountinfo")} - {"/tmp", "/dev/shm", "/dev/pts"}:
    succeeds(f"remount {place}", lambda: libc.mount(None, place.encode(), None, REMOUNT | BIND, None) == 0)  # noqa: B023
    succeeds(f"unmount {place}", lambda: libc.umount2(place.encode(), 2) == 0)  # noqa: B023
    if (os.path.isdir(place) and not place.startswith("/proc/")) or place == "/proc/sys":
        succeeds(f"write {place}", lambda: open(os.path.join(place, "new"), "w"))  # noqa: B023
    if not place.startswith("/proc"):
        succeeds(f"chmod {place}", lambda: os.chmod(place, os.stat(place).st_mode & 0o7777) is None)  # noqa: B023
        succeeds(f"chown {place}", lambda: os.chown(place, os.getuid(), os.getgid()) is None)  # noqa: B023
libc.setxattr.restype = ctypes.c_int
succeeds("setxattr", lambda: libc.setxattr(b"/dev/null", b"user.harmed", b"1", 1, 0) == 0)
for path in ("kernel/core_pattern", "vm/overcommit_memory", "kernel/hostname"):
    succeeds(path, lambda: writes(f"/proc/sys/{path}", "1"))  # noqa: B023
succeeds("sysrq", lambda: writes("/proc/sysrq-trigger", "") and os.path.getsize("/proc/sysrq-trigger"))
for path in ("cpuinfo", "meminfo", "stat", "version", "self/uid_map", "1/uid_map", "1/environ", "1/mem"):
    succeeds(f"/proc/{path}", lambda: writes(f"/proc/{path}", "0 0 1"))  # noqa: B023
succeeds("raise limits", lambda: __import__("resource").setrlimit(7, (99_999, 99_999)) is None)
if os.fork() == 0:
    succeeds("namespaces", lambda: libc.unshare(USER | MOUNTS) == 0 and libc.unshare(USER) == 0 and mounts())
    succeeds("chroot", lambda: os.chroot("/tmp") is None)
    succeeds("setuid", lambda: os.setuid(1) is None)
    succeeds("mknod", lambda: os.mknod("/tmp/disk", 0o60660, os.makedev(8, 0)) is None)
    sys.stdout.flush()
    os._exit(0)
os.wait()


def mounts():
    return libc.mount(b"none", b"/mnt", b"tmpfs", 0, None) == 0


others = [int(name) for name in os.listdir("/proc") if name.isdigit()]
if max(others) > 1000 or len(others) > 6:
    print("HARMED", others)
if {name for _, name in socket.if_nameindex()} - {"lo"}:
    print("HARMED", socket.if_nameindex())
succeeds("network", lambda: socket.create_connection(("1.1.1.1", 53), timeout=1))
if set(os.environ) & {"USER", "SHELL", "LOGNAME", "PYTEST_CURRENT_TEST", "TMPDIR"}:
    print("LEAKED", dict(os.environ))


def simplex(a, radius):
    return a

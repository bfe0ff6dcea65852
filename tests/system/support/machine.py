# SPDX-License-Identifier: Apache-2.0
"""Where programs lie and which loopback addresses a test may use."""
import contextlib
import fcntl
import os
import shutil
import tempfile

SOURCE = os.path.realpath(os.path.join(os.path.dirname(__file__), "..", "..", ".."))
BUILD = os.path.abspath(os.environ.get("TWINSITE_BUILD", f"{SOURCE}/build/dev"))


def ours(name):
    path = f"{BUILD}/bin/{name}"
    if not os.path.exists(path):
        raise AssertionError(f"{path} is not built")
    return path


def tool(name):
    """A program of tests/system/tools or a module of tests/system/peers."""
    path = f"{BUILD}/tests/{name}"
    if not os.path.exists(path):
        raise AssertionError(f"{path} is not built")
    return path


def debian(name):
    """A program of a Debian package of the [test] section in scripts/packages.txt."""
    path = shutil.which(name, path=os.environ.get("PATH", "") + ":/usr/sbin:/sbin:/usr/bin")
    if not path:
        raise AssertionError(f"{name} is not installed: scripts/bootstrap test")
    return path


class Net:
    """The second octet of 127.N.x.y for one test, held by a lock file, so that tests that run at
    the same time do not meet."""

    FIRST, LAST = 130, 229

    def __init__(self):
        folder = os.path.join(tempfile.gettempdir(), "twinsite-test-nets")
        os.makedirs(folder, mode=0o777, exist_ok=True)
        for number in range(self.FIRST, self.LAST + 1):
            lock = open(f"{folder}/{number}", "a")
            try:
                fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
            except OSError:
                lock.close()
                continue
            self.lock, self.number, self.prefix = lock, number, f"127.{number}"
            return
        raise AssertionError("no loopback network is free")

    def address(self, third, fourth):
        return f"{self.prefix}.{third}.{fourth}"

    def own_port(self):
        """A port on 127.0.0.1 that no other test uses."""
        return 21_000 + self.number

    def release(self):
        self.lock.close()


@contextlib.contextmanager
def quiet_machine():
    """Tests with bounds on time do not run beside each other."""
    with open(os.path.join(tempfile.gettempdir(), "twinsite-test-machine"), "a") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield

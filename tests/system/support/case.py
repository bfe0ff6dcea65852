# SPDX-License-Identifier: Apache-2.0
"""The base of all system tests: a scratch folder, a loopback network, programs that end with it."""
import contextlib
import os
import shutil
import sys
import tempfile
import unittest

from support import machine


class SystemCase(unittest.TestCase):
    """`self.folder`, `self.net`; `self.own(program)` ends the program when the test is over. A
    failed test leaves its folder and says where."""

    maxDiff = None

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix=f"twinsite-{type(self).__name__}-")
        os.chmod(self.folder, 0o755)
        self.net = machine.Net()
        self.programs = []
        self.addCleanup(self._leave)

    def own(self, program):
        self.programs.append(program)
        return program

    def say(self, text):
        """A figure worth keeping in the test's output."""
        print(f"{self.id().split('.')[-1]}: {text}", file=sys.stderr, flush=True)

    def _leave(self):
        for program in reversed(self.programs):
            with contextlib.suppress(AssertionError, OSError):
                program.stop()
        self.net.release()
        if self._failed_now():
            print(f"left for inspection: {self.folder}", file=sys.stderr)
        else:
            shutil.rmtree(self.folder, ignore_errors=True)

    def _failed_now(self):
        return not getattr(self._outcome, "success", True)


def main():
    unittest.main(verbosity=2)

# SPDX-License-Identifier: Apache-2.0
"""A process that a test starts, watches by its output, and ends by its own pid."""
import contextlib
import json
import os
import signal
import subprocess

from support import waiting


class Program:
    """Output of both kinds goes to `<folder>/<name>.log`."""

    def __init__(self, name, argv, folder, environment=None):
        self.name, self.argv, self.folder = name, argv, folder
        self.log_path = f"{folder}/{name}.log"
        self.environment = environment
        self.process = None

    @property
    def pid(self):
        return self.process.pid

    def start(self):
        with open(self.log_path, "a") as log:
            self.process = subprocess.Popen(
                self.argv, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder,
                start_new_session=True,
                env=dict(os.environ, **self.environment) if self.environment else None)
        return self

    def log(self):
        with contextlib.suppress(OSError), open(self.log_path, errors="replace") as log:
            return log.read()
        return ""

    def events(self, name):
        """The events of that name among the JSON lines of the log."""
        found = []
        for line in self.log().splitlines():
            with contextlib.suppress(ValueError):
                event = json.loads(line)
                if isinstance(event, dict) and event.get("event") == name:
                    found.append(event)
        return found

    def alive(self):
        return self.process is not None and self.process.poll() is None

    def signal(self, number):
        os.kill(self.process.pid, number)

    def wait_until(self, condition, seconds, what):
        """Like waiting.until, but a process that has ended fails at once and shows its log."""
        def check():
            if not self.alive():
                raise AssertionError(
                    f"{self.name} ended with {self.process.returncode}:\n{self.tail()}")
            return condition()
        try:
            return waiting.until(check, seconds, what)
        except AssertionError as failure:
            raise AssertionError(f"{failure}\n{self.name}:\n{self.tail()}") from None

    def tail(self, lines=25):
        return "\n".join(self.log().splitlines()[-lines:])

    def stop(self, seconds=10):
        """SIGTERM, then the exit code; a process that does not end is killed and that is an error."""
        if not self.alive():
            return self.process.returncode if self.process else None
        with contextlib.suppress(ProcessLookupError):
            self.signal(signal.SIGCONT)
            self.signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.kill()
            raise AssertionError(
                f"{self.name} did not end within {seconds} s of SIGTERM\n{self.tail()}") from None

    def kill(self):
        if self.alive():
            self.signal(signal.SIGKILL)
            self.process.wait(10)


def run(argv, seconds=60, folder=None, check=None, environment=None):
    """A command to its end; `check` is the exit code it must have."""
    done = subprocess.run(argv, stdin=subprocess.DEVNULL, capture_output=True, text=True,
                          timeout=seconds, cwd=folder,
                          env=dict(os.environ, **environment) if environment else None)
    if check is not None and done.returncode != check:
        raise AssertionError(f"{' '.join(argv)} ended with {done.returncode}, not {check}\n"
                             f"{done.stdout[-3000:]}\n{done.stderr[-3000:]}")
    return done

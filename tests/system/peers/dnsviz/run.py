#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""dnsviz as Debian 12 has it, with a name that its `grok` asks pygraphviz for and that went away in
pygraphviz 1.7."""
import runpy
import sys
import types

import pygraphviz

release = types.ModuleType("pygraphviz.release")
release.version = pygraphviz.__version__
sys.modules[release.__name__] = pygraphviz.release = release
runpy.run_path("/usr/bin/dnsviz", run_name="__main__")

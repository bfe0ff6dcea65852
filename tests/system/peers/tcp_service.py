#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""A service that a check can connect to: accepts on ADDRESS PORT and closes, until it is ended."""
import socket
import sys

with socket.create_server((sys.argv[1], int(sys.argv[2]))) as listening:
    while True:
        listening.accept()[0].close()

"""A peer: FastMCP's proxy for several servers. Usage: fastmcp_proxy.py PORT CONFIGURATION."""

import json
import sys
from pathlib import Path

from fastmcp.server import create_proxy

configuration = json.loads(Path(sys.argv[2]).read_text())
proxy = create_proxy(configuration, name="bench")
proxy.run(transport="http", host="127.0.0.1", port=int(sys.argv[1]), show_banner=False, log_level="CRITICAL")

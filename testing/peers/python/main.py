"""
A peer on a Python SDK: `python main.py SDK serve|stdio|converse`, with the name of the SDK's file of requirements.
It runs where the packages of that file are installed, and ends with its input.
"""

import asyncio
import os
import sys
import threading


def end_with_input() -> None:
    sys.stdin.buffer.read()
    os._exit(0)


def main() -> None:
    sdk, role = sys.argv[1:3]
    if role == "converse":
        from converse import answer_lines

        asyncio.run(answer_lines(sdk))
        return
    from serve import create_server, serve

    if role == "stdio":
        options = {"show_banner": False} if sdk.startswith("fastmcp") else {}
        create_server(sdk, "stdio").run(transport="stdio", **options)
        return
    threading.Thread(target=end_with_input, daemon=True).start()
    asyncio.run(serve(sdk))


main()

"""Servers on a Python SDK, of each kind that the version can be, with what the SDK's own examples use."""

import asyncio
import json
import socket
from typing import Any

GREETING = "Hello."
HOST = "127.0.0.1"

# The first version that has streamable HTTP is 1.8, the first that lets a server end a stream before its answer 1.24.
KINDS = {
    "mcp-1.2": ["sse"],
    "mcp-1.8": ["sse", "sessions", "stateless"],
    "mcp-1.9": ["sse", "sessions", "json", "stateless"],
    "mcp-1.30": ["sse", "sessions", "json", "events", "stateless"],
    "mcp-2": ["sse", "sessions", "json", "events", "stateless"],
    "fastmcp-2": ["sse", "sessions", "json", "events", "stateless"],
    "fastmcp-4": ["sse", "sessions", "json", "events", "stateless"],
}


def create_server(sdk: str, kind: str, port: int = 0) -> Any:
    """What a server offers is the same for all SDKs; only the names of classes differ."""
    if sdk.startswith("fastmcp"):
        from fastmcp import Context, FastMCP

        peer = FastMCP(sdk)
    elif sdk == "mcp-2":
        from mcp.server.mcpserver import Context, MCPServer

        peer = MCPServer(sdk)
    else:
        from mcp.server.fastmcp import Context, FastMCP

        peer = FastMCP(sdk, **choose_settings(sdk, kind, port))
    # A server without sessions can send nothing that belongs to no call.
    notifies = kind != "stateless"

    @peer.tool()
    def echo(text: str) -> str:
        """Says it again."""
        return text

    @peer.tool()
    async def count(ctx: Context) -> str:
        """Counts to three."""
        for progress in (1, 2, 3):
            await ctx.report_progress(progress, 3)
        # This version sends progress on another stream than the result, and a client drops what arrives after the result.
        if sdk == "mcp-1.8":
            await asyncio.sleep(0.3)
        return "counted"

    @peer.tool()
    async def notify(ctx: Context) -> str:
        """Sends a log message."""
        if not notifies:
            return "none"
        session = ctx.session if sdk.startswith("fastmcp") else ctx.request_context.session
        await session.send_log_message(level="info", data="noticed")
        return "sent"

    # All sessions have one server, so no tool adds another: the next client would have it from the start.

    if kind == "events":

        @peer.tool()
        async def poll(ctx: Context) -> str:
            """Ends its stream before it answers."""
            await ctx.close_sse_stream()
            return "answered later"

    @peer.prompt()
    def greet() -> str:
        """Greets."""
        return GREETING

    @peer.resource("memo://one")
    def memo() -> str:
        """A memo."""
        return "one"

    return peer


def choose_settings(sdk: str, kind: str, port: int) -> dict[str, Any]:
    """Version 1 has them at the server, version 2 at its application."""
    if sdk == "mcp-1.2":
        return {"port": port}
    return {"stateless_http": kind == "stateless", "json_response": kind == "json"} | choose_store(kind)


def choose_store(kind: str) -> dict[str, Any]:
    return {"event_store": create_store(), "retry_interval": 50} if kind == "events" else {}


def create_store() -> Any:
    from mcp.server.streamable_http import EventMessage, EventStore

    class Store(EventStore):
        """Keeps every event, as the SDK's example does."""

        def __init__(self) -> None:
            self.events: list[tuple[str, Any]] = []

        async def store_event(self, stream_id: str, message: Any) -> str:
            self.events.append((stream_id, message))
            return str(len(self.events))

        async def replay_events_after(self, last_event_id: str, send_callback: Any) -> str:
            last = int(last_event_id)
            stream = self.events[last - 1][0]
            for number, (stream_id, message) in enumerate(self.events[last:], last + 1):
                # The first event of a stream only names it.
                if stream_id == stream and message is not None:
                    await send_callback(EventMessage(message, str(number)))
            return stream

    return Store()


def create_app(sdk: str, kind: str) -> Any:
    peer = create_server(sdk, kind)
    options = {"stateless_http": kind == "stateless", "json_response": kind == "json"}
    if sdk.startswith("fastmcp"):
        return peer.http_app(transport="sse") if kind == "sse" else peer.http_app(**options, **choose_store(kind))
    if kind == "sse":
        return peer.sse_app()
    return peer.streamable_http_app(**options, **choose_store(kind)) if sdk == "mcp-2" else peer.streamable_http_app()


async def serve(sdk: str) -> None:
    """Offers every kind of server over HTTP, and writes their addresses in one line."""
    import uvicorn

    addresses = {}
    runs = []
    for kind in KINDS[sdk]:
        listener = socket.create_server((HOST, 0))
        port = listener.getsockname()[1]
        addresses[kind] = f"http://{HOST}:{port}/{'sse' if kind == 'sse' else 'mcp'}"
        if sdk == "mcp-1.2":
            # It has no application that another server could run, and opens the port itself.
            listener.close()
            runs.append(create_server(sdk, kind, port).run_sse_async())
        else:
            config = uvicorn.Config(create_app(sdk, kind), log_level="error", lifespan="on")
            runs.append(uvicorn.Server(config).serve(sockets=[listener]))
    print(json.dumps(addresses), flush=True)
    await asyncio.gather(*runs)

"""A client on a version 1 of the SDK, which offers streams and a session on them."""

import asyncio
import contextlib
import inspect
from typing import Any

from mcp import ClientSession, StdioServerParameters


def dump(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


class Client1:
    def __init__(self, target: dict[str, Any], on_message: Any) -> None:
        self._target, self._on_message = target, on_message
        self._stack = contextlib.AsyncExitStack()

    async def __aenter__(self) -> "Client1":
        await self._stack.__aenter__()
        streams = await self._stack.enter_async_context(self._open())
        self._read_session = streams[2] if len(streams) > 2 else None
        options = {}
        if "message_handler" in inspect.signature(ClientSession.__init__).parameters:
            options["message_handler"] = self._hear
        self._session = await self._stack.enter_async_context(ClientSession(streams[0], streams[1], **options))
        # Before 1.5 a client that does not read its messages answers nothing more.
        if hasattr(self._session, "incoming_messages"):
            self._reading = asyncio.create_task(self._read())
        self._initialized = await self._session.initialize()
        return self

    async def __aexit__(self, *failure: Any) -> None:
        await self._stack.__aexit__(*failure)

    def _open(self) -> Any:
        if "command" in self._target:
            from mcp.client.stdio import stdio_client

            command, *args = self._target["command"]
            return stdio_client(StdioServerParameters(command=command, args=args))
        url = self._target["url"]
        if url.endswith("/sse"):
            from mcp.client.sse import sse_client

            return sse_client(url)
        from mcp.client.streamable_http import streamablehttp_client

        return streamablehttp_client(url)

    async def _read(self) -> None:
        async for message in self._session.incoming_messages:
            await self._hear(message)

    async def _hear(self, message: Any) -> None:
        notification = getattr(message, "root", message)
        if not hasattr(notification, "method"):
            return
        params = notification.params
        self._on_message(notification.method, {} if params is None else dump(params))

    def describe(self) -> Any:
        answer = dump(self._initialized)
        return {
            "protocol": answer["protocolVersion"],
            "server": answer["serverInfo"]["name"],
            "capabilities": sorted(answer["capabilities"]),
        }

    def find_session(self) -> str | None:
        return self._read_session and self._read_session()

    async def list_tools(self) -> Any:
        return dump(await self._session.list_tools())["tools"]

    async def list_prompts(self) -> Any:
        return dump(await self._session.list_prompts())["prompts"]

    async def list_resources(self) -> Any:
        return dump(await self._session.list_resources())["resources"]

    async def get_prompt(self, name: str) -> Any:
        return dump(await self._session.get_prompt(name))["messages"]

    async def read_resource(self, uri: str) -> Any:
        return dump(await self._session.read_resource(uri))["contents"]

    async def call(self, name: str, arguments: dict[str, Any], on_progress: Any = None) -> Any:
        async def note(progress: float, _total: float | None, _message: str | None = None) -> None:
            on_progress(progress)

        options = {}
        if on_progress and "progress_callback" in inspect.signature(self._session.call_tool).parameters:
            options["progress_callback"] = note
        return dump(await self._session.call_tool(name, arguments, **options))["content"]

    async def ping(self) -> None:
        await self._session.send_ping()

"""A client on version 2 of the SDK or on FastMCP, which offer one with the connection in it."""

import asyncio
from typing import Any


def dump(value: Any) -> Any:
    return value.model_dump(mode="json", by_alias=True, exclude_none=True)


class Client2:
    def __init__(self, sdk: str, target: dict[str, Any], on_message: Any) -> None:
        self._on_message = on_message
        self._is_fastmcp = sdk.startswith("fastmcp")
        create = self._create_fastmcp if self._is_fastmcp else self._create_mcp
        # What is negotiated without a handshake is of another kind than what everybody else speaks today.
        options = {} if sdk == "fastmcp-2" else {"mode": "auto" if target.get("kind") == "auto" else "legacy"}
        self._client = create(target, message_handler=self._hear, **options)
        self._negotiates = options.get("mode") == "auto"
        self._listening: asyncio.Task[None] | None = None

    @staticmethod
    def _create_fastmcp(target: dict[str, Any], **options: Any) -> Any:
        from fastmcp import Client
        from fastmcp.client.transports import StdioTransport

        if "command" not in target:
            return Client(target["url"], **options)
        command, *args = target["command"]
        return Client(StdioTransport(command=command, args=args, keep_alive=False), **options)

    @staticmethod
    def _create_mcp(target: dict[str, Any], **options: Any) -> Any:
        from mcp import Client, StdioServerParameters
        from mcp.client.sse import sse_client

        # Without a handshake, each request says whether it wants log messages; with one, this changes nothing.
        options["log_level"] = "info"
        if "command" in target:
            command, *args = target["command"]
            return Client(StdioServerParameters(command=command, args=args), **options)
        url = target["url"]
        return Client(sse_client(url) if url.endswith("/sse") else url, **options)

    async def __aenter__(self) -> "Client2":
        await self._client.__aenter__()
        return self

    async def __aexit__(self, *failure: Any) -> None:
        if self._listening is not None:
            self._listening.cancel()
        await self._client.__aexit__(*failure)

    async def _hear(self, message: Any) -> None:
        notification = getattr(message, "root", message)
        if not hasattr(notification, "method"):
            return
        params = notification.params
        self._on_message(notification.method, {} if params is None else dump(params))

    def describe(self) -> Any:
        initialized = getattr(self._client, "initialize_result", None)
        if initialized is not None:
            answer = dump(initialized)
            protocol, server, capabilities = answer["protocolVersion"], answer["serverInfo"], answer["capabilities"]
        else:
            protocol = self._client.protocol_version
            server, capabilities = dump(self._client.server_info), dump(self._client.server_capabilities)
        return {"protocol": str(protocol), "server": server["name"], "capabilities": sorted(capabilities)}

    def find_session(self) -> str | None:
        """It does not say which session it has."""
        return None

    async def listen(self) -> str | None:
        """Without a handshake, a client subscribes to the changes that it wants to receive."""
        if not self._negotiates or str(self._client.protocol_version) < "2026-07-28":
            return None
        acknowledged: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._listening = asyncio.create_task(self._follow(acknowledged))
        return await acknowledged

    async def _follow(self, acknowledged: "asyncio.Future[str]") -> None:
        try:
            async with self._client.listen(tools_list_changed=True) as subscription:
                acknowledged.set_result("acknowledged")
                async for _change in subscription:
                    self._on_message("notifications/tools/list_changed", {})
        except Exception as failure:
            if not acknowledged.done():
                acknowledged.set_exception(failure)

    @staticmethod
    def _dump_list(listed: Any, member: str) -> Any:
        return [dump(item) for item in getattr(listed, member, listed)]

    async def list_tools(self) -> Any:
        return self._dump_list(await self._client.list_tools(), "tools")

    async def list_prompts(self) -> Any:
        return self._dump_list(await self._client.list_prompts(), "prompts")

    async def list_resources(self) -> Any:
        return self._dump_list(await self._client.list_resources(), "resources")

    async def get_prompt(self, name: str) -> Any:
        return dump(await self._client.get_prompt(name))["messages"]

    async def read_resource(self, uri: str) -> Any:
        return self._dump_list(await self._client.read_resource(uri), "contents")

    async def call(self, name: str, arguments: dict[str, Any], on_progress: Any = None) -> Any:
        async def note(progress: float, _total: float | None, _message: str | None) -> None:
            on_progress(progress)

        member = "progress_handler" if self._is_fastmcp else "progress_callback"
        result = await self._client.call_tool(name, arguments, **({member: note} if on_progress else {}))
        return self._dump_list(result, "content")

    async def ping(self) -> None:
        await (self._client.ping() if self._is_fastmcp else self._client.send_ping())

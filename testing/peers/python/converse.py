"""What a client says to a server, step by step. A step that fails is its error, and the next one is still taken."""

import asyncio
import json
import logging
import sys
import warnings
from typing import Any
from urllib.error import HTTPError
from urllib.request import Request, urlopen

# Times that a call is repeated whose notification was not heard, because a stream for it is opened beside the calls.
MAX_REPEATS = 40
PAUSE_SECONDS = 0.1
# More than any step needs.
STEP_SECONDS = 60
LIST = b'{"jsonrpc":"2.0","id":1,"method":"tools/list"}'


async def answer_lines(sdk: str) -> None:
    """Reads a target in each line, and answers with a line of what a conversation with it gave."""
    warnings.simplefilter("ignore")
    logging.disable(logging.CRITICAL)
    loop = asyncio.get_running_loop()
    while line := await loop.run_in_executor(None, sys.stdin.readline):
        # A task of its own, because some versions cancel the one that connects.
        print(json.dumps(await asyncio.create_task(converse(sdk, json.loads(line)))), flush=True)


async def converse(sdk: str, target: dict[str, Any]) -> dict[str, Any]:
    results: dict[str, Any] = {}
    heard: list[tuple[str, Any]] = []

    async def take(step: str, work: Any) -> None:
        try:
            result = await asyncio.wait_for(asyncio.create_task(work), STEP_SECONDS)
            if result is not None:
                results[step] = result
        except BaseException as failure:
            results[step] = {"error": describe_failure(failure)}

    def hear_message(method: str, params: Any) -> None:
        heard.append((method, params))

    async def hear(peer: Any, tool: str, method: str) -> Any:
        """Calls a tool until the server's notification has come."""
        heard.clear()
        for _ in range(MAX_REPEATS):
            content = await peer.call(tool, {})
            if content[0]["text"] == "none":
                return "none sent"
            await asyncio.sleep(PAUSE_SECONDS)
            for name, params in heard:
                if name == method:
                    return params
        return "not heard"

    async def talk() -> None:
        async with create_client(sdk, target, hear_message) as peer:
            results["initialize"] = peer.describe()
            await take_steps(peer, take, hear)
            await take("ping", say("answered", peer.ping))
            await take("reconnect", reconnect(sdk, target))
            session = peer.find_session()
        results["close"] = (
            "closed" if session is None else {"after": await asyncio.to_thread(ask_again, target["url"], session)}
        )

    try:
        await asyncio.create_task(talk())
    except BaseException as failure:
        results["close" if "initialize" in results else "initialize"] = {"error": describe_failure(failure)}
    return results


async def take_steps(peer: Any, take: Any, hear: Any) -> None:
    tools: list[str] = []

    async def list_tools() -> Any:
        listed = await peer.list_tools()
        tools.extend(tool["name"] for tool in listed)
        return listed

    async def count() -> Any:
        values: list[float] = []
        content = await peer.call("count", {}, values.append)
        return {"values": values, "content": content}

    async def grow() -> Any:
        params = await hear(peer, "grow", "notifications/tools/list_changed")
        return {"heard": params, "tools": sorted(tool["name"] for tool in await peer.list_tools())}

    await take("tools", list_tools())
    await take("prompts", peer.list_prompts())
    await take("resources", peer.list_resources())
    await take("prompt", peer.get_prompt("greet"))
    await take("resource", peer.read_resource("memo://one"))
    await take("call", peer.call("echo", {"text": "hi \u00e9\u2028"}))
    await take("progress", count())
    if "notify" in tools:
        await take("notification", hear(peer, "notify", "notifications/message"))
    if hasattr(peer, "listen"):
        await take("subscription", peer.listen())
    if "grow" in tools:
        await take("list changed", grow())
    if "poll" in tools:
        await take("resume", peer.call("poll", {}))


async def say(word: str, work: Any) -> str:
    await work()
    return word


async def reconnect(sdk: str, target: dict[str, Any]) -> Any:
    async with create_client(sdk, target, lambda _method, _params: None) as other:
        return await other.call("echo", {"text": "again"})


def create_client(sdk: str, target: dict[str, Any], on_message: Any) -> Any:
    if sdk.startswith("mcp-1"):
        from client_1 import Client1

        return Client1(target, on_message)
    from client_2 import Client2

    return Client2(sdk, target, on_message)


def describe_failure(failure: BaseException) -> Any:
    while isinstance(failure, BaseExceptionGroup):
        failure = failure.exceptions[0]
    code = getattr(getattr(failure, "error", None), "code", None)
    return code if isinstance(code, int) else f"{type(failure).__name__}: {failure}"


def ask_again(url: str, session: str) -> int:
    """Asks for a list in a session that was ended. Returns the status."""
    headers = {
        "content-type": "application/json",
        "accept": "application/json, text/event-stream",
        "mcp-session-id": session,
    }
    try:
        with urlopen(Request(url, data=LIST, headers=headers)) as response:
            return response.status
    except HTTPError as failure:
        # Some versions have their address with a slash at its end.
        location = failure.headers.get("location")
        return ask_again(location, session) if failure.code == 307 and location else failure.code

"""An MCP server on stdio that reads messages as most servers in Python do: dictionaries, in which the last of two wins."""

import json
import sys

held = []


def send(message):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def say(request_id, text):
    send({"id": request_id, "result": {"content": [{"type": "text", "text": text}]}})


def call(request_id, params):
    name = params.get("name")
    token = (params.get("_meta") or {}).get("progressToken")
    if token is not None:
        progress = {"progressToken": token, "progress": 1, "message": f"of {name}"}
        send({"method": "notifications/progress", "params": progress})
    if name == "hold":
        held.append(request_id)
    elif name == "release":
        for waiting in held:
            say(waiting, "held")
        held.clear()
        say(request_id, "released")
    elif name == "requests":
        say(request_id, json.dumps(held))
    else:
        say(request_id, f"{name} paid {(params.get('arguments') or {}).get('amount')}")


for line in sys.stdin:
    message = json.loads(line)
    request_id = message.get("id")
    method = message.get("method")
    if request_id is None:
        continue
    if method == "initialize":
        version = message["params"]["protocolVersion"]
        info = {"name": "python", "version": "1"}
        send({"id": request_id, "result": {"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": info}})
    elif method == "tools/call":
        call(request_id, message.get("params") or {})
    else:
        send({"id": request_id, "result": {}})

/** `thv help networking` */
import type { Topic } from "./topic.ts";

export const NETWORKING_TOPIC: Topic = {
  name: "networking",
  title: "Networking",
  blocks: [
    {
      kind: "text",
      text: "Every server gets a URL on this machine, which thv list shows: http://127.0.0.1:PORT/mcp for streamable HTTP, http://127.0.0.1:PORT/sse#NAME for HTTP with SSE. It stays the same across restarts.",
    },
    {
      kind: "terms",
      terms: [
        ["--proxy-port", "The port in that URL; the default is a free port"],
        ["--host", "The address to listen on; with 127.0.0.1, other machines cannot connect"],
        ["--target-port", "The port in the container, for a server that speaks HTTP"],
      ],
    },
    {
      kind: "text",
      text: "The container's port is published only on 127.0.0.1, whatever --host is: other machines connect through the proxy. The proxy checks the Host and Origin headers, so that a page in a browser cannot call a server without the user's knowledge.",
    },
    { kind: "commands", commands: [["Show the URLs", "thv list"]] },
  ],
};

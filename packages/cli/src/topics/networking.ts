/** `thv help networking` */
import type { Topic } from "./topic.ts";

export const NETWORKING_TOPIC: Topic = {
  name: "networking",
  title: "Networking",
  blocks: [
    {
      kind: "text",
      text: "Every server gets an address on this machine, which thv list shows: http://127.0.0.1:PORT/mcp for streamable HTTP, http://127.0.0.1:PORT/sse#NAME for HTTP with SSE. It stays the same over restarts.",
    },
    {
      kind: "terms",
      terms: [
        ["--proxy-port", "The port of that address; a free one is chosen when it is not given"],
        ["--host", "The address to listen on; 127.0.0.1 keeps other machines out"],
        ["--target-port", "The port in the container of a server that speaks HTTP itself"],
      ],
    },
    {
      kind: "text",
      text: "The port in the container is published on 127.0.0.1 only, whatever --host says: others come through the proxy. The proxy checks the Host and Origin headers, so that a page in a browser cannot call a server behind the user's back.",
    },
    { kind: "commands", commands: [["Show the addresses", "thv list"]] },
  ],
};

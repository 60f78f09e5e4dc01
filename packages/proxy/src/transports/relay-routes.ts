/** The paths of an endpoint whose messages a relay forwards, whatever is behind the relay. */
import { answerHealth, type Health } from "../http/health.ts";
import { HttpRefusal } from "../http/http-exchange.ts";
import type { Handle } from "../http/listener.ts";
import { RPC_ERRORS } from "../messages/json-rpc.ts";
import type { SseTransport } from "./sse.ts";
import type { StreamableHttp } from "./streamable-http.ts";

interface RelayParts {
  readonly sse: SseTransport;
  readonly streamable: StreamableHttp;
  readonly health: Health;
}

export function createRelayRoutes({ sse, streamable, health }: RelayParts): Handle {
  return (request, response, path, caller) => {
    switch (path) {
      case "/mcp":
        return streamable.handle(request, response, caller);
      case "/sse":
        sse.open(request, response, caller);
        return undefined;
      case "/messages":
        return sse.post(request, response, caller);
      case "/health":
        return answerHealth(request, response, health);
      default:
        throw new HttpRefusal(404, RPC_ERRORS.INVALID_REQUEST, "Nothing is here. The MCP endpoints are /mcp and /sse.");
    }
  };
}

/** The only place that distinguishes kinds when objects are built from them. */
import { KIND, MCP_GROUP_KIND, type Proxied, REMOTE_KIND } from "../../contract/index.ts";
import { readGroupSpec } from "./group.ts";
import type { ProxySpec } from "./proxy-spec.ts";
import { readRemoteProxySpec } from "./remote-proxy.ts";
import { readServerSpec } from "./server.ts";

export function readSpec(object: Proxied): ProxySpec {
  switch (object.kind) {
    case KIND:
      return readServerSpec(object);
    case REMOTE_KIND:
      return readRemoteProxySpec(object);
    case MCP_GROUP_KIND:
      return readGroupSpec(object);
  }
}

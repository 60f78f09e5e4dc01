/** The messages of other programs that users of MCP servers in containers meet, with what to do. */
import { CLIENT_MESSAGES } from "./clients.ts";
import { ENGINE_MESSAGES } from "./engines.ts";
import { KUBERNETES_MESSAGES } from "./kubernetes.ts";
import { NETWORK_MESSAGES } from "./network.ts";
import { PACKAGE_MESSAGES } from "./packages.ts";
import { PROTOCOL_MESSAGES } from "./protocol.ts";
import type { SeenMessage, Subject } from "./seen-message.ts";
import { SYSTEM_MESSAGES } from "./system.ts";

export const SEEN_MESSAGES: Readonly<Record<Subject, readonly SeenMessage[]>> = {
  clients: CLIENT_MESSAGES,
  protocol: PROTOCOL_MESSAGES,
  engines: ENGINE_MESSAGES,
  packages: PACKAGE_MESSAGES,
  network: NETWORK_MESSAGES,
  kubernetes: KUBERNETES_MESSAGES,
  system: SYSTEM_MESSAGES,
};

/**
 * The messages of other programs that users of MCP servers in containers meet, with what to do. They are data, one JSON file a
 * subject with its schema beside it; a message that names no error code or no guide of ours ends the build.
 */
import { ERRORS, type ErrorCode } from "@toolhive/core/errors";
import clients from "./data/seen-messages/clients.json" with { type: "json" };
import engines from "./data/seen-messages/engines.json" with { type: "json" };
import guides from "./data/seen-messages/guides.json" with { type: "json" };
import kubernetes from "./data/seen-messages/kubernetes.json" with { type: "json" };
import network from "./data/seen-messages/network.json" with { type: "json" };
import packages from "./data/seen-messages/packages.json" with { type: "json" };
import protocol from "./data/seen-messages/protocol.json" with { type: "json" };
import system from "./data/seen-messages/system.json" with { type: "json" };

/** As `subject.schema.json` describes it. */
export interface SeenMessage extends StoredMessage {
  readonly code?: ErrorCode;
  readonly guide?: keyof typeof GUIDES;
}

interface StoredMessage {
  readonly message: string;
  readonly program: string;
  readonly code?: string;
  readonly means: string;
  readonly remedy: string;
  readonly guide?: string;
  readonly source: string;
}

interface SeenSubject {
  readonly title: string;
  readonly messages: readonly SeenMessage[];
}

/** Pages that remedies lead to: the path below the documentation, with its anchor, and the text of the link. */
export const GUIDES = guides.guides;

/** In the order of the page; each has a section of its own there when one of its messages has no code. */
export const SEEN_SUBJECTS: readonly SeenSubject[] = [
  clients,
  protocol,
  engines,
  packages,
  network,
  kubernetes,
  system,
].map(({ title, messages }) => ({ title, messages: messages.map(checkMessage) }));

export const SEEN_MESSAGES: readonly SeenMessage[] = SEEN_SUBJECTS.flatMap(({ messages }) => messages);

function checkMessage(message: StoredMessage): SeenMessage {
  if (!namesWhatExists(message)) {
    const { code = "no code", guide = "no guide" } = message;
    throw new Error(`"${message.message}" names ${code} and ${guide}: one of them does not exist.`);
  }
  return message;
}

function namesWhatExists(message: StoredMessage): message is SeenMessage {
  const { code, guide } = message;
  return (code === undefined || Object.hasOwn(ERRORS, code)) && (guide === undefined || Object.hasOwn(GUIDES, guide));
}

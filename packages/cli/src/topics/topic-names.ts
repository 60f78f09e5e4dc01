/** What topics there are; known at every start, unlike their texts. */
import type { TopicName } from "../command-line/command.ts";

export const TOPIC_NAMES: readonly TopicName[] = [
  { name: "environment", summary: "Variables that thv reads" },
  { name: "exit-codes", summary: "What the exit code says" },
  { name: "files", summary: "Where settings, secrets, logs and state are" },
  { name: "networking", summary: "Addresses, ports and what servers can reach" },
  { name: "output", summary: "Streams, formats, colors and quiet operation" },
  { name: "secrets", summary: "How secrets are kept and handed to servers" },
];

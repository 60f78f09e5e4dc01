/** Every topic with its text. */
import { ENVIRONMENT_TOPIC } from "./environment.ts";
import { EXIT_CODES_TOPIC } from "./exit-codes.ts";
import { FILES_TOPIC } from "./files.ts";
import { NETWORKING_TOPIC } from "./networking.ts";
import { OUTPUT_TOPIC } from "./output.ts";
import { SECRETS_TOPIC } from "./secrets.ts";
import type { Topic } from "./topic.ts";

export { ENVIRONMENT_VARIABLES } from "./environment.ts";
export { EXIT_CODES } from "./exit-codes.ts";
export { TOPIC_NAMES } from "./topic-names.ts";

export const TOPICS: readonly Topic[] = [
  ENVIRONMENT_TOPIC,
  EXIT_CODES_TOPIC,
  FILES_TOPIC,
  NETWORKING_TOPIC,
  OUTPUT_TOPIC,
  SECRETS_TOPIC,
];

/** The parts of an MCPServer as tests read them. */
import type { JsonObject } from "../contract/index.ts";
import { buildPart, type DesiredContext, type Part } from "../desired/index.ts";

export const build = (part: Part, context: DesiredContext): JsonObject => {
  const object = buildPart(part, context);
  if (object === undefined) throw new Error(`there is no ${part}`);
  return object;
};

export const buildRunner = (context: DesiredContext) => JSON.parse(build("runnerConfig", context).data["runner.json"]);

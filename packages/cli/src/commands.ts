/** Every command of thv. Names, flags and defaults follow the reference's command line; the words are ours. */
import type { Command, CommandGroup } from "./command.ts";
import { CLIENT_COMMANDS, CLIENT_GROUP } from "./definitions/client.ts";
import { COMPLETION_COMMANDS } from "./definitions/completion.ts";
import { CONFIG_COMMANDS, CONFIG_GROUP } from "./definitions/config.ts";
import { OTEL_COMMANDS, OTEL_GROUP } from "./definitions/config-otel.ts";
import { DEPRECATED_COMMANDS } from "./definitions/deprecated.ts";
import { DOCTOR_COMMAND } from "./definitions/doctor.ts";
import { EXPORT_COMMAND } from "./definitions/export.ts";
import { INSPECTOR_COMMAND } from "./definitions/inspector.ts";
import { MCP_COMMANDS, MCP_GROUP } from "./definitions/mcp.ts";
import { PROXY_COMMAND } from "./definitions/proxy.ts";
import { REGISTRY_COMMANDS, REGISTRY_GROUP } from "./definitions/registry.ts";
import { RUN_COMMAND } from "./definitions/run.ts";
import { SECRET_COMMANDS, SECRET_GROUP } from "./definitions/secret.ts";
import { SERVE_COMMAND } from "./definitions/serve.ts";
import { SERVICE_COMMANDS, SERVICE_GROUP } from "./definitions/service.ts";
import { VERSION_COMMAND } from "./definitions/version.ts";
import { WORKLOAD_COMMANDS } from "./definitions/workload.ts";

export { GLOBAL_FLAGS, isShown } from "./command.ts";
export { HELP_FLAG, usageLine } from "./help.ts";

/** Words that gather commands. A group and its commands are declared together, in `definitions/`. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  CONFIG_GROUP,
  OTEL_GROUP,
  MCP_GROUP,
  REGISTRY_GROUP,
  SECRET_GROUP,
  CLIENT_GROUP,
  SERVICE_GROUP,
];

export const COMMANDS: readonly Command[] = [
  ...WORKLOAD_COMMANDS,
  RUN_COMMAND,
  EXPORT_COMMAND,
  DOCTOR_COMMAND,
  PROXY_COMMAND,
  INSPECTOR_COMMAND,
  SERVE_COMMAND,
  VERSION_COMMAND,
  ...CONFIG_COMMANDS,
  ...OTEL_COMMANDS,
  ...MCP_COMMANDS,
  ...REGISTRY_COMMANDS,
  ...CLIENT_COMMANDS,
  ...SECRET_COMMANDS,
  ...SERVICE_COMMANDS,
  ...COMPLETION_COMMANDS,
  ...DEPRECATED_COMMANDS,
];

/** Every command of thv. Names, flags and defaults follow the reference's command line; the words are ours. */
import type { Command, CommandGroup } from "./command-line/command.ts";
import { AUTH_COMMANDS, AUTH_GROUP } from "./commands/auth/definition.ts";
import { CLIENT_COMMANDS, CLIENT_GROUP } from "./commands/client/definition.ts";
import { DEPRECATED_COMMANDS } from "./commands/client/deprecated-definition.ts";
import { CONFIG_KEY_COMMANDS } from "./commands/config/by-key-definition.ts";
import { CONFIG_COMMANDS, CONFIG_GROUP } from "./commands/config/definition.ts";
import { OTEL_COMMANDS, OTEL_GROUP } from "./commands/config/otel-definition.ts";
import { DOCS_COMMANDS } from "./commands/docs/definition.ts";
import { DOCTOR_COMMAND } from "./commands/doctor/definition.ts";
import { EDIT_COMMAND } from "./commands/edit/definition.ts";
import { EXPORT_COMMAND } from "./commands/export/definition.ts";
import { GROUP_COMMANDS, GROUP_GROUP } from "./commands/group/definition.ts";
import { INSPECTOR_COMMAND } from "./commands/inspector/definition.ts";
import { K8S_COMMANDS, K8S_GROUP } from "./commands/k8s/definition.ts";
import { LIFECYCLE_COMMANDS } from "./commands/lifecycle/definition.ts";
import { LIST_COMMAND } from "./commands/list/definition.ts";
import { LOGS_COMMANDS } from "./commands/logs/definition.ts";
import { MCP_COMMANDS, MCP_GROUP } from "./commands/mcp/definition.ts";
import { OPERATOR_COMMAND } from "./commands/operator/definition.ts";
import { PERMISSION_COMMANDS, PERMISSION_GROUP } from "./commands/permission/definition.ts";
import { PROJECT_COMMANDS } from "./commands/project/definition.ts";
import { PROXY_COMMANDS } from "./commands/proxy/definition.ts";
import { REGISTRY_COMMANDS, REGISTRY_GROUP, SOURCE_GROUP } from "./commands/registry/definition.ts";
import { RUN_COMMAND } from "./commands/run/definition.ts";
import { RUNNER_COMMAND } from "./commands/runner/definition.ts";
import { SECRET_COMMANDS, SECRET_GROUP } from "./commands/secret/definition.ts";
import { SERVE_COMMAND } from "./commands/serve/definition.ts";
import { SERVICE_COMMANDS, SERVICE_GROUP } from "./commands/service/definition.ts";
import { SIDECAR_COMMAND } from "./commands/sidecar/definition.ts";
import { STATUS_COMMAND } from "./commands/status/definition.ts";
import { TOOLS_COMMANDS, TOOLS_GROUP } from "./commands/tools/definition.ts";
import { UI_COMMAND } from "./commands/ui/definition.ts";
import { UPGRADE_COMMANDS, UPGRADE_GROUP } from "./commands/upgrade/definition.ts";
import { VERSION_COMMAND } from "./commands/version/definition.ts";
import { COMPLETION_COMMANDS } from "./completion/definition.ts";

export { isShown } from "./command-line/command.ts";
export { GLOBAL_FLAGS, HELP_FLAG, listFlags, listSections, listShownFlags } from "./command-line/flag.ts";
export { usageLine } from "./command-line/help.ts";
export { parseInvocation } from "./command-line/parse.ts";

/** Words that gather commands. A group is declared beside its commands. */
export const COMMAND_GROUPS: readonly CommandGroup[] = [
  CONFIG_GROUP,
  OTEL_GROUP,
  MCP_GROUP,
  REGISTRY_GROUP,
  SOURCE_GROUP,
  SECRET_GROUP,
  AUTH_GROUP,
  CLIENT_GROUP,
  GROUP_GROUP,
  SERVICE_GROUP,
  UPGRADE_GROUP,
  K8S_GROUP,
  PERMISSION_GROUP,
  TOOLS_GROUP,
];

export const COMMANDS: readonly Command[] = [
  LIST_COMMAND,
  ...LOGS_COMMANDS,
  ...LIFECYCLE_COMMANDS,
  STATUS_COMMAND,
  RUN_COMMAND,
  EDIT_COMMAND,
  EXPORT_COMMAND,
  ...PROJECT_COMMANDS,
  ...UPGRADE_COMMANDS,
  ...PERMISSION_COMMANDS,
  ...TOOLS_COMMANDS,
  ...K8S_COMMANDS,
  UI_COMMAND,
  ...GROUP_COMMANDS,
  DOCTOR_COMMAND,
  ...DOCS_COMMANDS,
  ...PROXY_COMMANDS,
  INSPECTOR_COMMAND,
  SERVE_COMMAND,
  OPERATOR_COMMAND,
  RUNNER_COMMAND,
  SIDECAR_COMMAND,
  VERSION_COMMAND,
  ...CONFIG_COMMANDS,
  ...CONFIG_KEY_COMMANDS,
  ...OTEL_COMMANDS,
  ...MCP_COMMANDS,
  ...REGISTRY_COMMANDS,
  ...CLIENT_COMMANDS,
  ...SECRET_COMMANDS,
  ...AUTH_COMMANDS,
  ...SERVICE_COMMANDS,
  ...COMPLETION_COMMANDS,
  ...DEPRECATED_COMMANDS,
];

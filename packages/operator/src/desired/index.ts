/** From an MCPServer, MCPRemoteProxy or MCPGroup to the objects that belong to it: pure functions. */

export { buildPoliciesDocument, buildToolChoice } from "./config-maps.ts";
export {
  type DesiredContext,
  NO_REFERENCES,
  type OperatorSettings,
  type ReferenceProblem,
  type References,
  type ServerContext,
} from "./context/context.ts";
export { digest } from "./context/digest.ts";
export { findSidecarObstacle, findWeakness } from "./context/pod-limits.ts";
export { parseProfile } from "./context/profile.ts";
export { describeToolConfig, findToolConfigProblem } from "./context/tool-choice.ts";
export { checkName, findPrivilege } from "./kinds/check-object.ts";
export { buildGroupFile, planMembers } from "./kinds/group-plan.ts";
export { readSpec } from "./kinds/read-spec.ts";
export { readServerSpec } from "./kinds/server.ts";
export { buildPart, describePart, namePart, OWNED_KINDS, PART_DEFINITIONS, PARTS, type Part } from "./objects.ts";
export { SESSION_KEY } from "./session-key.ts";

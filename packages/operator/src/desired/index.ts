/** What an MCPServer shall have: pure functions from it to its objects. */

export { buildPoliciesDocument } from "./config-maps.ts";
export { checkName, listSpecProblems } from "./context/check-server.ts";
export {
  type DesiredContext,
  NO_REFERENCES,
  type OperatorSettings,
  type ReferenceProblem,
  type References,
  readSpec,
} from "./context/context.ts";
export { digest } from "./context/digest.ts";
export { buildGroupFile, planMembers } from "./context/group-plan.ts";
export { findSidecarObstacle, findWeakness } from "./context/pod-limits.ts";
export { findPrivilege } from "./context/privileges.ts";
export { parseProfile } from "./context/profile.ts";
export { describeToolConfig, findToolConfigProblem } from "./context/tool-choice.ts";
export { buildPart, namePart, PART_DEFINITIONS, PARTS, type Part } from "./objects.ts";
export { listRemoteFiles } from "./remote-files.ts";
export { SESSION_KEY } from "./session-key.ts";

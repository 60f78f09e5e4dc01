/**
 * Method and path of every operation, and nothing else, so that the command line can use them without loading schemas.
 * Paths are OpenAPI templates. Source: specification §7.
 */
export const API_BASE = "/api/v1beta";

interface Route {
  readonly method: "GET" | "POST" | "PUT" | "DELETE";
  readonly path: string;
}

/** The API, for every caller. */
export const ROUTES = {
  getHealth: { method: "GET", path: "/health" },
  getOpenApi: { method: "GET", path: "/api/openapi.json" },
  getSystem: { method: "GET", path: `${API_BASE}/system` },
  runDoctor: { method: "GET", path: `${API_BASE}/doctor` },
  getVersion: { method: "GET", path: `${API_BASE}/version` },
  listWorkloads: { method: "GET", path: `${API_BASE}/workloads` },
  createWorkload: { method: "POST", path: `${API_BASE}/workloads` },
  getWorkload: { method: "GET", path: `${API_BASE}/workloads/{name}` },
  deleteWorkload: { method: "DELETE", path: `${API_BASE}/workloads/{name}` },
  stopWorkload: { method: "POST", path: `${API_BASE}/workloads/{name}/stop` },
  restartWorkload: { method: "POST", path: `${API_BASE}/workloads/{name}/restart` },
  getWorkloadLogs: { method: "GET", path: `${API_BASE}/workloads/{name}/logs` },
  planWorkload: { method: "POST", path: `${API_BASE}/workloads/plan` },
  editWorkload: { method: "POST", path: `${API_BASE}/workloads/{name}/edit` },
  undoWorkloadEdit: { method: "POST", path: `${API_BASE}/workloads/{name}/undo` },
  checkUpgrades: { method: "GET", path: `${API_BASE}/workloads/upgrade-check` },
  checkUpgrade: { method: "GET", path: `${API_BASE}/workloads/{name}/upgrade-check` },
  upgradeWorkload: { method: "POST", path: `${API_BASE}/workloads/{name}/upgrade` },
  getWorkloadStatus: { method: "GET", path: `${API_BASE}/workloads/{name}/status` },
  exportWorkload: { method: "GET", path: `${API_BASE}/workloads/{name}/export` },
  getWorkloadDetails: { method: "GET", path: `${API_BASE}/workloads/{name}/details` },
  listSignIns: { method: "GET", path: `${API_BASE}/auth` },
  getSignIn: { method: "GET", path: `${API_BASE}/workloads/{name}/auth` },
  beginSignIn: { method: "POST", path: `${API_BASE}/workloads/{name}/auth/login` },
  endSignIn: { method: "POST", path: `${API_BASE}/workloads/{name}/auth/logout` },
  stopWorkloads: { method: "POST", path: `${API_BASE}/workloads/stop` },
  restartWorkloads: { method: "POST", path: `${API_BASE}/workloads/restart` },
  deleteWorkloads: { method: "POST", path: `${API_BASE}/workloads/delete` },
  getProxyLogs: { method: "GET", path: `${API_BASE}/workloads/{name}/proxy-logs` },
  getPermissions: { method: "GET", path: `${API_BASE}/workloads/{name}/permissions` },
  allowTarget: { method: "POST", path: `${API_BASE}/workloads/{name}/permissions/allow` },
  applyLearned: { method: "POST", path: `${API_BASE}/workloads/{name}/permissions/learned` },
  getToolPins: { method: "GET", path: `${API_BASE}/workloads/{name}/tool-pins` },
  acceptTools: { method: "POST", path: `${API_BASE}/workloads/{name}/tool-pins/accept` },
  listDenied: { method: "GET", path: `${API_BASE}/workloads/{name}/denied` },
  watchWorkloadLogs: { method: "GET", path: `${API_BASE}/workloads/{name}/log-stream` },
  listWorkloadTools: { method: "GET", path: `${API_BASE}/workloads/{name}/tools` },
  listWorkloadPrompts: { method: "GET", path: `${API_BASE}/workloads/{name}/prompts` },
  listWorkloadResources: { method: "GET", path: `${API_BASE}/workloads/{name}/resources` },
  listRecentCalls: { method: "GET", path: `${API_BASE}/workloads/{name}/calls` },
  decideCall: { method: "POST", path: `${API_BASE}/workloads/{name}/decisions` },
  callWorkload: { method: "POST", path: `${API_BASE}/workloads/{name}/calls` },
  answerCall: { method: "POST", path: `${API_BASE}/calls/{call_id}/answers` },
  listUsage: { method: "GET", path: `${API_BASE}/usage` },
  setUsageRecording: { method: "PUT", path: `${API_BASE}/usage` },
  getUsage: { method: "GET", path: `${API_BASE}/workloads/{name}/usage` },
  getMetrics: { method: "GET", path: "/metrics" },
  watchEvents: { method: "GET", path: `${API_BASE}/events` },
  listGroups: { method: "GET", path: `${API_BASE}/groups` },
  createGroup: { method: "POST", path: `${API_BASE}/groups` },
  getGroup: { method: "GET", path: `${API_BASE}/groups/{name}` },
  deleteGroup: { method: "DELETE", path: `${API_BASE}/groups/{name}` },
  listGroupTools: { method: "GET", path: `${API_BASE}/groups/{name}/tools` },
  chooseGroupTools: { method: "PUT", path: `${API_BASE}/groups/{name}/tools` },
  addGroupWorkload: { method: "PUT", path: `${API_BASE}/groups/{name}/workloads/{workload}` },
  removeGroupWorkload: { method: "DELETE", path: `${API_BASE}/groups/{name}/workloads/{workload}` },
  exportProject: { method: "GET", path: `${API_BASE}/project` },
  pushProject: { method: "POST", path: `${API_BASE}/project/push` },
  pullProject: { method: "POST", path: `${API_BASE}/project/pull` },
  readProject: { method: "POST", path: `${API_BASE}/project/read` },
  listClients: { method: "GET", path: `${API_BASE}/clients` },
  registerClient: { method: "POST", path: `${API_BASE}/clients` },
  unregisterClient: { method: "DELETE", path: `${API_BASE}/clients/{name}` },
  unregisterClientFromGroup: { method: "DELETE", path: `${API_BASE}/clients/{name}/groups/{group}` },
  registerClients: { method: "POST", path: `${API_BASE}/clients/register` },
  unregisterClients: { method: "POST", path: `${API_BASE}/clients/unregister` },
  planClients: { method: "POST", path: `${API_BASE}/clients/plan` },
  undoClient: { method: "POST", path: `${API_BASE}/clients/{name}/undo` },
  discoverClients: { method: "GET", path: `${API_BASE}/discovery/clients` },
  setupSecrets: { method: "POST", path: `${API_BASE}/secrets` },
  getSecretsProvider: { method: "GET", path: `${API_BASE}/secrets/default` },
  listSecrets: { method: "GET", path: `${API_BASE}/secrets/default/keys` },
  createSecret: { method: "POST", path: `${API_BASE}/secrets/default/keys` },
  updateSecret: { method: "PUT", path: `${API_BASE}/secrets/default/keys/{key}` },
  deleteSecret: { method: "DELETE", path: `${API_BASE}/secrets/default/keys/{key}` },
  createAppSession: { method: "POST", path: `${API_BASE}/app/sessions` },
  deleteAppSession: { method: "DELETE", path: `${API_BASE}/app/sessions/current` },
  listRegistries: { method: "GET", path: `${API_BASE}/registry` },
  addRegistry: { method: "POST", path: `${API_BASE}/registry` },
  getRegistry: { method: "GET", path: `${API_BASE}/registry/{name}` },
  chooseRegistry: { method: "PUT", path: `${API_BASE}/registry/{name}` },
  deleteRegistry: { method: "DELETE", path: `${API_BASE}/registry/{name}` },
  refreshRegistry: { method: "POST", path: `${API_BASE}/registry/{name}/refresh` },
  listServers: { method: "GET", path: `${API_BASE}/registry/{name}/servers` },
  getServer: { method: "GET", path: `${API_BASE}/registry/{name}/servers/{serverName}` },
  listCatalog: { method: "GET", path: `${API_BASE}/catalog` },
  getCatalogIcon: { method: "GET", path: `${API_BASE}/catalog/{reference}/icon` },
  getCatalogEntry: { method: "GET", path: `${API_BASE}/catalog/{reference}` },
} as const satisfies Record<string, Route>;

/** Calls of the command line that only the private socket serves. Their paths are those of earlier versions. */
export const SOCKET_ROUTES = {
  getSupervisor: { method: "GET", path: "/supervisor" },
  handOver: { method: "POST", path: "/supervisor/handover" },
  watchWorkloads: { method: "GET", path: "/supervisor/workloads" },
  readSecret: { method: "POST", path: "/supervisor/ask/read-secret" },
  unlockSecrets: { method: "POST", path: "/supervisor/ask/unlock-secrets" },
  changeSecretsPassword: { method: "POST", path: "/supervisor/ask/change-password" },
  forgetSecretsPassword: { method: "POST", path: "/supervisor/ask/forget-password" },
  settleClients: { method: "POST", path: "/supervisor/ask/settle-clients" },
  openApp: { method: "POST", path: "/supervisor/app" },
} as const satisfies Record<string, Route>;

export type OperationId = keyof typeof ROUTES | keyof typeof SOCKET_ROUTES;

export function findRoute(id: OperationId): Route {
  return id in ROUTES ? ROUTES[id as keyof typeof ROUTES] : SOCKET_ROUTES[id as keyof typeof SOCKET_ROUTES];
}

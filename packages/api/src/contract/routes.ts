/**
 * Method and path of every operation, and nothing else, so that the command line can use them without loading schemas.
 * Paths are OpenAPI templates. Source: specification §7.
 */
export const API_BASE = "/api/v1beta";

export const ROUTES = {
  getHealth: { method: "GET", path: "/health" },
  getOpenApi: { method: "GET", path: "/api/openapi.json" },
  getVersion: { method: "GET", path: `${API_BASE}/version` },
  listWorkloads: { method: "GET", path: `${API_BASE}/workloads` },
  createWorkload: { method: "POST", path: `${API_BASE}/workloads` },
  getWorkload: { method: "GET", path: `${API_BASE}/workloads/{name}` },
  deleteWorkload: { method: "DELETE", path: `${API_BASE}/workloads/{name}` },
  stopWorkload: { method: "POST", path: `${API_BASE}/workloads/{name}/stop` },
  restartWorkload: { method: "POST", path: `${API_BASE}/workloads/{name}/restart` },
  getWorkloadLogs: { method: "GET", path: `${API_BASE}/workloads/{name}/logs` },
  stopWorkloads: { method: "POST", path: `${API_BASE}/workloads/stop` },
  restartWorkloads: { method: "POST", path: `${API_BASE}/workloads/restart` },
  deleteWorkloads: { method: "POST", path: `${API_BASE}/workloads/delete` },
  listClients: { method: "GET", path: `${API_BASE}/clients` },
  registerClient: { method: "POST", path: `${API_BASE}/clients` },
  unregisterClient: { method: "DELETE", path: `${API_BASE}/clients/{name}` },
  registerClients: { method: "POST", path: `${API_BASE}/clients/register` },
  unregisterClients: { method: "POST", path: `${API_BASE}/clients/unregister` },
  discoverClients: { method: "GET", path: `${API_BASE}/discovery/clients` },
  setupSecrets: { method: "POST", path: `${API_BASE}/secrets` },
  getSecretsProvider: { method: "GET", path: `${API_BASE}/secrets/default` },
  listSecrets: { method: "GET", path: `${API_BASE}/secrets/default/keys` },
  createSecret: { method: "POST", path: `${API_BASE}/secrets/default/keys` },
  updateSecret: { method: "PUT", path: `${API_BASE}/secrets/default/keys/{key}` },
  deleteSecret: { method: "DELETE", path: `${API_BASE}/secrets/default/keys/{key}` },
  listRegistries: { method: "GET", path: `${API_BASE}/registry` },
  addRegistry: { method: "POST", path: `${API_BASE}/registry` },
  getRegistry: { method: "GET", path: `${API_BASE}/registry/{name}` },
  deleteRegistry: { method: "DELETE", path: `${API_BASE}/registry/{name}` },
  listServers: { method: "GET", path: `${API_BASE}/registry/{name}/servers` },
  getServer: { method: "GET", path: `${API_BASE}/registry/{name}/servers/{serverName}` },
} as const satisfies Record<string, { method: "GET" | "POST" | "PUT" | "DELETE"; path: string }>;

export type OperationId = keyof typeof ROUTES;

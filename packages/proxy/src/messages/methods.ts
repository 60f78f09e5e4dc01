/** Names of the MCP methods that the endpoint handles; all others pass through. */
export const INITIALIZE = "initialize";
export const INITIALIZED = "notifications/initialized";
export const CANCELLED = "notifications/cancelled";
export const PROGRESS = "notifications/progress";
export const PING = "ping";
export const LIST_TOOLS = "tools/list";
export const SUBSCRIBE = "resources/subscribe";
export const UNSUBSCRIBE = "resources/unsubscribe";
export const LIST_CHANGED = /^notifications\/(?:tools|prompts|resources)\/list_changed$/;

/** A real authorization server, the server that it protects, and the person who signs in; for tests of any package. */
export {
  AuthorizationServer,
  type AuthorizationServerChoices,
  REMOTE_SCOPES,
  type TokenMishap,
  type TokenRequest,
} from "./authorization-server.ts";
export { enterUserCode, signInWithBrowser } from "./person.ts";
export { ProtectedServer, type ProtectedServerChoices } from "./protected-server.ts";

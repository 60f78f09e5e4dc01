export { formatMountDeclaration, parseMountDeclaration, resolveSource } from "./mount-declaration.ts";
export {
  BUILT_IN_PROFILES,
  isBuiltInProfile,
  type Outbound,
  readOutbound,
  resolveProfile,
} from "./permission-profile.ts";

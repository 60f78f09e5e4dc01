export { formatMountDeclaration, parseMountDeclaration, withAbsoluteSource } from "./mount-declaration.ts";
export { BUILT_IN_PROFILES, isBuiltInProfile } from "./permission-profile.ts";

export { formatMountDeclaration, parseMountDeclaration, resolveSource } from "./mount-declaration.ts";
export { BUILT_IN_PROFILES, isBuiltInProfile } from "./permission-profile.ts";

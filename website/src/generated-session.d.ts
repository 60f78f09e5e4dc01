/** `src/generated/session.json` behind an alias of plugins/framework-patches/client-shims. Written by `npm run build` (reference/session.ts); declared here, so that types can be checked before a build. */
declare module "toolhive-session" {
  const session: readonly { readonly command: string; readonly output: readonly string[] }[];
  export default session;
}

/** Written by `npm run build` (reference/session.ts); declared here, so that types can be checked before a build. */
declare module "@site/src/generated/session.json" {
  const session: readonly { readonly command: string; readonly output: readonly string[] }[];
  export default session;
}

/** The whole of the package would replace the client of the built-in `fetch`, too. */
declare module "undici/lib/dispatcher/agent.js" {
  export { Agent as default } from "undici";
}

/** The documentation for programs: pages, search by sections, errors and commands, and the MCP server that offers them. */
export { describeCommand } from "./library/describe-command.ts";
export { DocsLibrary, readAnchor } from "./library/docs-library.ts";
export { explainError } from "./library/explain-error.ts";
export { openPack } from "./library/open-pack.ts";
export { type FoundSection, searchSections } from "./library/search-sections.ts";
export { type DocsPack, decodePack, PackError } from "./pack/docs-pack.ts";
export { describeMissingPage } from "./tools/docs-server.ts";
export {
  type AnswerRequest,
  createHttpAnswerer,
  MAX_MESSAGE_BYTES,
  PROTOCOL_REVISIONS,
  serveOnStreams,
} from "./tools/serve.ts";

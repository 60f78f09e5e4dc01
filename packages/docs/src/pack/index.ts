/** What a build needs to make the file of the documentation, and the types of what is in it. */
export type {
  CommandFact,
  DocsContent,
  DocsFacts,
  DocsPage,
  ErrorFact,
  FieldFact,
  FlagFact,
  MessageFact,
  OperationFact,
} from "./docs-content.ts";
export { encodePack } from "./docs-pack.ts";
export { findSections } from "./find-sections.ts";

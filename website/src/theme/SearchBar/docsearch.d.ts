declare module "@docsearch/react/style";

/** The package types its main entry only; this entry exports the modal alone. */
declare module "@docsearch/react/modal" {
  export { DocSearchModal } from "@docsearch/react/dist/esm/index.js";
}

/** What may be read of a pasted text without Node, so that the application reads it as the commands do. */
export { nameServer, type Pasted, type PastedProblem, readPasted } from "./read-pasted.ts";

/** What somebody typed or pasted, recognised: the start of a create request. */
import type { OperationInput } from "@toolhive/api/client";
import { findNearest } from "@toolhive/core/nearest";
import { parseTarget } from "@toolhive/core/target";
import { type PastedServers, readPastedServers } from "./pasted-servers.ts";

export type CreateRequest = OperationInput<"createWorkload">["body"];

export type Source =
  | {
      readonly kind: "registry" | "image" | "package" | "remote";
      readonly request: CreateRequest;
      /** An entry of the registry whose name is nearly the text. */
      readonly meant?: string;
    }
  | PastedSource
  | { readonly kind: "none"; readonly reason: string };

/** A command, a link or settings of a client, with at least one server. */
export interface PastedSource extends PastedServers {
  readonly kind: "pasted";
}

const IMAGE = /^[a-z0-9][\w.-]*(:\d+)?(\/[\w.-]+)*(:[\w.-]+)?(@sha256:[a-f0-9]{64})?$/i;

/**
 * @param names Of the registry's entries.
 * @param readText Reads TOML and YAML; absent until it is loaded.
 */
export function recognise(text: string, names: ReadonlySet<string>, readText?: (text: string) => unknown): Source {
  const trimmed = text.trim();
  if (trimmed === "") return { kind: "none", reason: "" };
  const isWord = /^[^\s{"`]+$/.test(trimmed);
  const target = parseTarget(trimmed);
  if (isWord && target.kind === "package") return { kind: "package", request: { image: trimmed } };
  if (names.has(trimmed)) return { kind: "registry", request: { image: trimmed } };
  if (isWord && IMAGE.test(trimmed)) {
    const meant = target.kind === "entry" ? findNearest(trimmed, [...names]) : undefined;
    return { kind: "image", request: { image: trimmed }, ...(meant !== undefined && { meant }) };
  }
  const pasted = readPastedServers(trimmed, readText);
  if (isWord && pasted?.form !== "link") return readWord(trimmed);
  if (pasted && pasted.servers.length > 0) return { kind: "pasted", ...pasted };
  return { kind: "none", reason: pasted?.skipped[0] ?? "" };
}

/** One word that is neither an image nor a link. */
function readWord(text: string): Source {
  if (parseTarget(text).kind === "address") return readAddress(text);
  return {
    kind: "none",
    reason: `"${text.slice(0, 100)}" is neither a name, nor an image, a package or a URL.`,
  };
}

function readAddress(text: string): Source {
  // Said here, because a link, a list and the command below would show the password.
  if (!URL.canParse(text)) return { kind: "none", reason: `"${text.slice(0, 100)}" is no address.` };
  const { username, password } = new URL(text);
  if (username === "" && password === "") return { kind: "remote", request: { image: text } };
  return { kind: "none", reason: "The URL holds a password: forward it as a header from a secret." };
}

/** Hands packet rules to the kernel with `nft`. */
import { spawnSync } from "node:child_process";

/** Characters of nft's own words that are passed on. */
const MAX_WORDS = 300;

/** @param program Name or path of nft. @returns Why they are not in force; `undefined` when they are. */
export function loadPacketRules(rules: string, program = "nft"): string | undefined {
  const { error, status, signal, stderr } = spawnSync(program, ["-f", "-"], { input: rules, encoding: "utf8" });
  if (error) {
    const isAbsent = "code" in error && error.code === "ENOENT";
    return isAbsent ? "the image of the sidecar has no nft (package nftables)" : `nft cannot be run: ${error.message}`;
  }
  if (status === 0) return undefined;
  const words = stderr
    .replace(/[\p{Cc}\s]+/gu, " ")
    .trim()
    .slice(0, MAX_WORDS);
  return `nft ended with ${status ?? signal}${words === "" ? "" : `: ${words}`}`;
}

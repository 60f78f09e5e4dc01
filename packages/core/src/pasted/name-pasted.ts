/** What a server is called that was pasted without a name: as `thv run` would name it. */
import { formatServerName } from "../client-import/server-name.ts";
import { isRemoteTarget, parseTarget } from "../target/target.ts";

/** Of what has no part that could be a name. */
const DEFAULT_NAME = "server";

/** @param run What is started: an image, a package, or an address. */
export function nameAfterTarget(run: string): string {
  return formatServerName(findLastPart(run).toLowerCase()) || DEFAULT_NAME;
}

function findLastPart(run: string): string {
  if (isRemoteTarget(run)) return URL.canParse(run) ? new URL(run).hostname : "";
  const target = parseTarget(run);
  const whole = target.kind === "package" ? target.name : run;
  const [plain = ""] = whole.split(/[#[=<>~!]/, 1);
  const parts = plain.split("/");
  const version = parts.at(-1)?.indexOf("@", parts.length > 1 ? 0 : 1) ?? -1;
  if (version >= 0) parts.push(parts.pop()?.slice(0, version) ?? "");
  const last = parts.length > 1 && /^v\d+$/.test(parts.at(-1) ?? "") ? parts.at(-2) : parts.at(-1);
  return (last ?? "").replace(/:[^:]*$/, "").replace(/\.git$/, "");
}

/** "Did you mean", for the name of a server that the registry does not have and that was taken for an image. */
import type { ApiClient } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import { parseTarget } from "@toolhive/core/target";
import { findNearest } from "../../command-line/suggest.ts";

/** @returns The error with the name that was meant in its hint; the error as it is when there is none. */
export async function withSuggestion(error: unknown, image: string, client: ApiClient): Promise<unknown> {
  const target = parseTarget(image);
  // A namespace or a version is not mistyped by a letter or two.
  const isName = target.kind === "entry" && target.version === undefined && !target.name.includes("/");
  if (!(error instanceof ThvError) || !isName) return error;
  if (error.code !== "IMAGE_NOT_FOUND" && error.code !== "IMAGE_REGISTRY_UNREACHABLE") return error;
  try {
    const { entries } = await client.call("listCatalog");
    const names = entries.map(({ reference }) => reference);
    const meant = names.includes(image) ? undefined : findNearest(image, names);
    if (meant === undefined) return error;
    const { code, message, detail } = error;
    return new ThvError(code, message, { hint: `Did you mean: thv run ${meant}`, detail, cause: error });
  } catch {
    // What went wrong first is what the user asked about.
    return error;
  }
}

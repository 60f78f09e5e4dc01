/** "Did you mean", for the name of a server that the registry does not have and that was taken for an image. */
import type { ApiClient } from "@toolhive/api/client";
import { ThvError } from "@toolhive/core/errors";
import { findNearest } from "../../command-line/suggest.ts";

/** A name with a path, a tag or a scheme is no server's. */
const SERVER_NAME = /^[\w.-]+$/;

/** @returns The error with the name that was meant in its hint; the error as it is when there is none. */
export async function withSuggestion(error: unknown, image: string, client: ApiClient): Promise<unknown> {
  if (!(error instanceof ThvError) || !SERVER_NAME.test(image)) return error;
  if (error.code !== "IMAGE_NOT_FOUND" && error.code !== "IMAGE_REGISTRY_UNREACHABLE") return error;
  try {
    const { servers, remote_servers } = await client.call("listServers", { params: { name: "default" } });
    const names = [...servers, ...remote_servers].map(({ name }) => name);
    const meant = names.includes(image) ? undefined : findNearest(image, names);
    if (meant === undefined) return error;
    const { code, message, detail } = error;
    return new ThvError(code, message, { hint: `Did you mean: thv run ${meant}`, detail, cause: error });
  } catch {
    // What went wrong first is what the user asked about.
    return error;
  }
}

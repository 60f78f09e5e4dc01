/** Names of projects at image registries: `oci://HOST[:PORT]/NAME[:TAG][@sha256:…]`. */
import { createHash } from "node:crypto";
import { basename } from "node:path/posix";
import { quote } from "@toolhive/http/values";
import { formatPlainName } from "../../client-import/server-name.ts";
import { type ImageSource, parseImageSource } from "../../image-registry/image-source.ts";
import { parseImageReference } from "../../images/image-reference.ts";
import { ThvError } from "../../support/errors.ts";

const SCHEME = "oci://";
const DEFAULT_TAG = "latest";
/** Characters of the name in the label; a value has 63 at most. */
const MAX_NAME = 40;
const HINT = "Write it as oci://ghcr.io/acme/tools:1.0; names are lower-case.";

export interface SharedReference {
  /** As a person writes it, with the tag that is meant where none was written. */
  readonly text: string;
  /** Without tag and digest: what stays when a project is pushed again. */
  readonly repository: string;
  readonly source: ImageSource;
  /** Absent where only a digest was given. */
  readonly tag?: string;
  /** `sha256:…`. */
  readonly digest?: string;
}

/** Whether a text names a project at an image registry, rightly written or not. */
export function isSharedReference(text: string): boolean {
  return text.slice(0, SCHEME.length).toLowerCase() === SCHEME;
}

/** @throws {ThvError} `INVALID_ARGUMENT`. */
export function parseSharedReference(text: string): SharedReference {
  const fail = (reason: string, hint = HINT) =>
    new ThvError("INVALID_ARGUMENT", `${quote(text, 200)} cannot name a project at an image registry: ${reason}.`, {
      hint,
    });
  if (!isSharedReference(text)) throw fail(`it does not begin with ${SCHEME}`);
  const reference = text.slice(SCHEME.length);
  const parsed = parse(reference);
  if (!parsed) throw fail("it is no reference");
  const [host = "", ...path] = parsed.repository.split("/");
  if (path.length === 0 || !(/[.:]/.test(host) || host === "localhost"))
    throw fail("it has no host", `Write the host, too: ${SCHEME}docker.io/${reference.slice(0, 200)}`);
  if (parsed.digest !== undefined && !/^sha256:[0-9a-f]{64}$/.test(parsed.digest))
    throw fail("its digest is not sha256: and 64 small hexadecimal digits");
  const source = parseImageSource(parsed.repository);
  const repository = `${SCHEME}${source.registry}/${source.path}`;
  const tag = parsed.tag ?? (parsed.digest === undefined ? DEFAULT_TAG : undefined);
  return {
    text: `${repository}${tag === undefined ? "" : `:${tag}`}${parsed.digest === undefined ? "" : `@${parsed.digest}`}`,
    repository,
    source,
    ...(tag !== undefined && { tag }),
    ...(parsed.digest !== undefined && { digest: parsed.digest }),
  };
}

/** Whose its workloads are, as the value of their label. It does not depend on what the project calls itself. */
export function formatSharedLabel({ repository }: SharedReference): string {
  const name = formatPlainName(basename(repository)).slice(0, MAX_NAME);
  const digest = createHash("sha256").update(repository).digest("hex").slice(0, 16);
  return `${name === "" ? "shared" : name}.${digest}`;
}

/** @returns `undefined` for what is no reference. */
function parse(reference: string) {
  try {
    return parseImageReference(reference);
  } catch {
    return undefined;
  }
}

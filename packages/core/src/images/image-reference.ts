/**
 * Container image references: `[registry[:port]/]repository[:tag][@digest]`.
 * Grammar: https://pkg.go.dev/github.com/distribution/reference
 */
import { ThvError } from "../support/errors.ts";

export interface ImageReference {
  /** With the registry's host if there is one, without tag and digest. */
  readonly repository: string;
  readonly tag: string | undefined;
  /** For example `sha256:…`. */
  readonly digest: string | undefined;
}

const LABEL = "[a-zA-Z0-9](?:[a-zA-Z0-9-]*[a-zA-Z0-9])?";
const HOST = `(?:${LABEL}(?:\\.${LABEL})*|\\[[0-9a-fA-F:]+\\])(?::[0-9]+)?`;
const COMPONENT = "[a-z0-9]+(?:(?:\\.|_|__|-+)[a-z0-9]+)*";
const REPOSITORY = `(?:${HOST}/)?${COMPONENT}(?:/${COMPONENT})*`;
const TAG = "[a-zA-Z0-9_][a-zA-Z0-9._-]{0,127}";
const DIGEST = "[a-zA-Z][a-zA-Z0-9]*(?:[+._-][a-zA-Z][a-zA-Z0-9]*)*:[0-9a-fA-F]{32,}";
/** A whole reference, without anchors and groups, for documents. */
export const IMAGE_REFERENCE_PATTERN = `${REPOSITORY}(?::${TAG})?(?:@${DIGEST})?`;
const REFERENCE = new RegExp(`^(${REPOSITORY})(?::(${TAG}))?(?:@(${DIGEST}))?$`);

const MAX_MEANT_LENGTH = 200;
/** How other programs write where a package is from: as a scheme, or as a command. */
const OTHER_SCHEMES: readonly { readonly pattern: RegExp; readonly scheme: string }[] = [
  { pattern: /^(?:npx|npm|pnpx|bunx|bun|yarn|node)(?::\/?\/?|\s+(?:-y\s+|--yes\s+)?)(?<name>\S+)$/i, scheme: "npx://" },
  { pattern: /^(?:uvx|pipx|pip|pypi|uv)(?::\/?\/?|\s+(?:tool\s+)?(?:run\s+)?)(?<name>\S+)$/i, scheme: "uvx://" },
  { pattern: /^(?:golang|gorun):\/?\/?(?<name>\S+)$/i, scheme: "go://" },
  { pattern: /^(?:docker|docker-image|oci|podman|image):\/\/(?<name>\S+)$/i, scheme: "" },
  // A scope of npm: no repository of images begins so.
  { pattern: /^(?<name>@[a-z0-9][\w.-]*\/[\w.-]+(?:@[\w.^~-]+)?)$/i, scheme: "npx://" },
  // A version as pip has it.
  { pattern: /^(?<name>[a-z0-9][\w.-]*==[\w.+-]+)$/i, scheme: "uvx://" },
];

/** @returns How it is written here, for what is written as another program has it. */
function guessTarget(value: string): string | undefined {
  for (const { pattern, scheme } of OTHER_SCHEMES) {
    const name = pattern.exec(value)?.groups?.name;
    if (name !== undefined) return `${scheme}${name}`;
  }
  return undefined;
}

/** @throws {ThvError} `INVALID_ARGUMENT` for anything that is not a reference. */
export function parseImageReference(value: string): ImageReference {
  const match = matchReference(value);
  if (!match?.[1]) {
    const meant = value.length <= MAX_MEANT_LENGTH ? guessTarget(value.trim()) : undefined;
    throw new ThvError("INVALID_ARGUMENT", `"${value}" is not an image reference.`, {
      hint: meant
        ? `Did you mean: thv run ${meant}`
        : "Write it as ghcr.io/acme/weather-mcp:1.4.0 or mcp/everything; repositories are lower-case.",
    });
  }
  return { repository: match[1], tag: match[2], digest: match[3] };
}

/** Whether two texts are references to images of one repository. */
export function isSameRepository(left: string, right: string): boolean {
  const [one, other] = [left, right].map((text) => matchReference(text)?.[1]);
  return one !== undefined && one === other;
}

function matchReference(text: string): RegExpExecArray | null {
  return text.length <= 512 ? REFERENCE.exec(text) : null;
}

/**
 * Recognizes the output of npm, uv and go when they cannot fetch a package: they run inside the server's container, and their
 * failure is not the server's.
 */
import { ThvError } from "../support/errors.ts";

interface PackageFailure {
  readonly pattern: RegExp;
  /** The end of a sentence that begins with the package. */
  readonly what: string;
  readonly hint: string;
}

/** In this order: an untrusted answer proves nothing about the package. */
const FAILURES: readonly PackageFailure[] = [
  {
    // npm and Node.js; uv (rustls); pip and Python; go.
    pattern:
      /SELF_SIGNED_CERT|self[- ]signed certificate|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF)|unable to get (?:local )?issuer certificate|invalid peer certificate|CERTIFICATE_VERIFY_FAILED|x509: certificate signed by unknown authority|tls: failed to verify certificate/i,
    what: "could not be fetched: the certificate of its package registry is not trusted",
    hint: "Behind a proxy that inspects TLS connections, set your company's certificate, then run it again: thv config set-ca-cert FILE. For this server only: thv run --ca-cert FILE",
  },
  {
    pattern:
      /\bETARGET\b|no matching version found|there (?:is|are) no versions? of|(?:is|are) available and you require|no matching distribution found|no matching versions for query|unknown revision/i,
    what: "could not be fetched: there is no such version of it, or of a package that it needs",
    hint: "Check the version in the package registry, or leave it out.",
  },
  {
    pattern:
      /\bE404\b|\b404 Not Found\b|is not in this registry|not found in the package registry|could not find a version that satisfies|malformed module path|repository not found|does not contain package/i,
    what: "was not found",
    hint: "Check the package's name in its package registry.",
  },
  {
    pattern: /no solution found when resolving/i,
    what: "could not be fetched: no versions of the packages that it needs fit together",
    hint: "Name another version of the package.",
  },
];

/** Lines of a package manager that are shown. */
const SHOWN_LINES = 3;

/**
 * @param target As the user named the package.
 * @param lines The last ones that were printed, oldest first.
 * @returns Nothing when they are of something else.
 */
export function explainPackageFailure(target: string, lines: readonly string[]): ThvError | undefined {
  const first = lines.findIndex((line) => OF_PACKAGE_MANAGER.test(line));
  if (first < 0) return undefined;
  const own = lines.slice(first);
  // uv breaks its sentences into lines.
  const text = own.join(" ");
  const found = FAILURES.find(({ pattern }) => pattern.test(text));
  if (!found) return undefined;
  const told = own.findIndex((line) => found.pattern.test(line));
  const shown = own.slice(Math.max(0, told)).slice(0, SHOWN_LINES).join(" / ");
  return new ThvError("BUILD_FAILED", `The package ${target} ${found.what}.`, {
    hint: found.hint,
    detail: `Its last output: ${shown.slice(0, 500)}`,
  });
}

/** How their lines begin: a server may say "not found" of what it works with. */
const OF_PACKAGE_MANAGER =
  /^\s*(?:npm (?:error|ERR!)|go: |[×╰├│]|Caused by: |error: (?:Failed to|Request failed|client error))/;

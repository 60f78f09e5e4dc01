/**
 * Recognizes the output of npm, uv and go when they cannot install a package: in the build of its image, or, in an image that
 * an older version built, when the server starts.
 */
import { ThvError } from "../support/errors.ts";

interface PackageFailure {
  readonly pattern: RegExp;
  readonly code: "PACKAGE_NOT_FOUND" | "PACKAGE_REGISTRY_UNREACHABLE" | "BUILD_FAILED";
  /** The end of a sentence that begins with the package. */
  readonly what: string | ((found: RegExpExecArray) => string);
  readonly hint: string | ((found: RegExpExecArray, target: string) => string);
}

const SCRIPT_FAILED = {
  code: "BUILD_FAILED",
  what: "could not be installed: a script of it, or of a package that it needs, failed",
  hint: "Read its output for what it lacks, such as a compiler or a website. Build an image that has it, and run that: thv run IMAGE",
} as const;

/** In this order: an untrusted or refused connection proves nothing about the package. */
const FAILURES: readonly PackageFailure[] = [
  {
    // A script that downloads something says that a host is unknown, too.
    pattern: /npm (?:error|ERR!) command failed npm (?:error|ERR!) command sh -c /i,
    ...SCRIPT_FAILED,
  },
  {
    // npm and Node.js; uv (rustls); pip and Python; go.
    pattern:
      /SELF_SIGNED_CERT|self[- ]signed certificate|UNABLE_TO_(?:GET_ISSUER_CERT|VERIFY_LEAF)|unable to get (?:local )?issuer certificate|invalid peer certificate|CERTIFICATE_VERIFY_FAILED|x509: certificate signed by unknown authority|tls: failed to verify certificate/i,
    code: "PACKAGE_REGISTRY_UNREACHABLE",
    what: "could not be fetched: the certificate of its package registry is not trusted",
    hint: "Behind a proxy that inspects TLS connections, set your company's certificate, then run it again: thv config set-ca-cert FILE. For this server only: thv run --ca-cert FILE",
  },
  {
    pattern: /forbidden by your security policy|tunnel error: unsuccessful|Tunnel connection failed: 403/i,
    code: "PACKAGE_REGISTRY_UNREACHABLE",
    what: "could not be fetched: the server's network isolation, or a proxy, refuses the connection to the package registry",
    hint: "Remove the server and run it again: its package is then fetched before it is isolated. Or allow the hosts of the package registry in its permission profile.",
  },
  {
    pattern:
      /\bETARGET\b|no matching version found|there (?:is|are) no versions? of|(?:is|are) available and you require|no matching distribution found|no matching versions for query|unknown revision/i,
    code: "PACKAGE_NOT_FOUND",
    what: "could not be fetched: there is no such version of it, or of a package that it needs",
    hint: "Check the version in the package registry, or leave it out.",
  },
  {
    pattern:
      /\bE404\b|\b404 Not Found\b|is not in this registry|not found in the package registry|could not find a version that satisfies|malformed module path|repository not found|does not contain package/i,
    code: "PACKAGE_NOT_FOUND",
    what: "was not found",
    hint: "Check the package's name in its package registry.",
  },
  {
    pattern: /\bE40[13]\b|\b40[13] (?:Unauthorized|Forbidden)\b/i,
    code: "PACKAGE_NOT_FOUND",
    what: "could not be fetched: its package registry refuses it without a sign-in",
    hint: "Check the package's name. For a private package, build an image that contains it, and run that: thv run IMAGE",
  },
  {
    pattern:
      /\b(?:EAI_AGAIN|ENOTFOUND|ETIMEDOUT|ECONNREFUSED|ECONNRESET|EHOSTUNREACH|ENETUNREACH)\b|dns error|failed to lookup address|temporary failure (?:in name resolution|resolving)|dns: transient error|no such host|dial tcp|error sending request for url|operation timed out|network is unreachable/i,
    code: "PACKAGE_REGISTRY_UNREACHABLE",
    what: "could not be fetched: its package registry cannot be reached",
    hint: "Check the connection, and the DNS server and the proxy of your container engine.",
  },
  {
    pattern: /is not provided by package.{0,300}?following executables are available:?\s*-\s*`?(?<program>[\w.+-]+)/i,
    code: "BUILD_FAILED",
    what: "has no program of its own name",
    hint: ({ groups }, target) => `Name its program: thv run '${target}#${groups?.program}'`,
  },
  {
    pattern:
      /could not determine executable to run|no executables are provided by package|toolhive: the package has no program/i,
    code: "BUILD_FAILED",
    what: "was fetched, and has no program to start",
    hint: "It may be a library. Look up the name of the server's package.",
  },
  {
    pattern: /requires go >= |does not satisfy Python|no solution found when resolving/i,
    code: "BUILD_FAILED",
    what: "could not be fetched: no versions of what it needs fit together",
    hint: "Name another version of the package.",
  },
  {
    pattern:
      /npm (?:error|ERR!) (?:command failed|gyp ERR!)|failed to build\b|build backend returned an error|subprocess-exited-with-error|failed building wheel/i,
    ...SCRIPT_FAILED,
  },
  {
    pattern: /toolhive: the programs of the package are (?<programs>[\w.+,-]+)/,
    code: "BUILD_FAILED",
    what: ({ groups }) =>
      `has these programs, and which of them is the server is not known: ${groups?.programs?.replaceAll(",", ", ")}`,
    hint: ({ groups }, target) =>
      `Name its program: thv run '${target.split("#")[0]}#${groups?.programs?.split(",")[0]}'`,
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
  const first = lines.findIndex((line) => line.startsWith("toolhive: ") || OF_PACKAGE_MANAGER.test(line));
  if (first < 0) return undefined;
  const own = lines.slice(first);
  // uv breaks its sentences into lines.
  const text = own.join(" ");
  for (const { pattern, code, what, hint } of FAILURES) {
    const found = pattern.exec(text);
    if (!found) continue;
    const named = own.findIndex((line) => pattern.test(line));
    const shown = own.slice(Math.max(0, named)).slice(0, SHOWN_LINES).join(" / ");
    const words = typeof what === "string" ? what : what(found);
    const options = {
      hint: typeof hint === "string" ? hint : hint(found, target),
      detail: `Its last output: ${shown.slice(0, 500)}`,
    };
    // The pages of these errors read the messages from the calls.
    switch (code) {
      case "PACKAGE_NOT_FOUND":
        return new ThvError("PACKAGE_NOT_FOUND", `The package ${target} ${words}.`, options);
      case "PACKAGE_REGISTRY_UNREACHABLE":
        return new ThvError("PACKAGE_REGISTRY_UNREACHABLE", `The package ${target} ${words}.`, options);
      case "BUILD_FAILED":
        return new ThvError("BUILD_FAILED", `The package ${target} ${words}.`, options);
    }
  }
  return undefined;
}

/** How their lines begin: a server may say "not found" of what it works with. */
const OF_PACKAGE_MANAGER =
  /^\s*(?:npm (?:error|ERR!)|go: |[×╰├│]|Caused by: |cause: (?:Because |Failed to |error |client error|dns |invalid |failed to )|error: (?:Failed to (?:fetch|download|resolve|build|install|prepare|query|spawn)|No solution found|Request failed|client error|subprocess-exited)|ERROR: (?:Could not (?:find a version|install packages)|No matching distribution|Failed building wheel)|(?:warning: )?An executable named|No executables are provided)/;

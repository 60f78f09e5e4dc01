/** What each exit code means: one sentence for every code that the error catalogue uses. */
import type { Topic } from "./topic.ts";

export const EXIT_CODES: Readonly<Record<number, string>> = {
  0: "Success",
  2: "A value is invalid, or an operation is not supported",
  3: "The server, secret or other item does not exist",
  4: "The name is taken, or the server is busy",
  5: "The secrets provider is not set up, is locked or failed",
  6: "The container engine does not respond, refused the request or failed",
  7: "A port is in use",
  8: "The server in the container exited or does not respond",
  9: "Another supervisor is running, or the supervisor does not respond",
  10: "A saved file is damaged",
  11: "The registry cannot be fetched or is not valid",
  12: "The settings cannot be read, or another process is changing them",
  13: "An image could not be built",
  14: "A client's settings file cannot be read or written",
  15: "A token is missing or not valid, or its issuer cannot be reached",
  16: "A file cannot be read, written or removed",
  17: "thv doctor found something that needs fixing",
  18: "The network filter of a server could not be set up, so the server was not started",
  19: "The image's origin could not be verified, so the server was not started",
  20: "The system's service manager could not install or start the service",
  // shown by faults.e2e: `run of an image whose registry cannot be reached says so, exits 21 and leaves nothing`
  21: "The image registry or the package registry cannot be reached",
  22: "The supervisor already does as much of this as it allows at a time",
  23: "A tool of an MCP server reported an error",
  24: "The API server of a Kubernetes cluster cannot be reached, or refused the request",
  25: "Tools of a server differ from what was pinned, or have changed again since they were shown",
  26: "Servers differ from what thv.yaml says",
  27: "Nobody has allowed what a project file, a manifest or an entry of the registry asks for",
  64: "The command line is not valid",
  70: "A bug in thv: report it",
  130: "Interrupted; 143 after SIGTERM, 129 after SIGHUP, which a terminal sends when you close it",
};

export const EXIT_CODES_TOPIC: Topic = {
  name: "exit-codes",
  title: "Exit codes",
  blocks: [
    // shown by help: `exit codes have a meaning for every code of the error catalogue, and no other`
    // shown by thv: `%s on a full disk is one line and exit 16`
    {
      kind: "text",
      text: "Every failure has a nonzero exit code, one line on standard error that says what happened, and a hint if there is something you can do. --debug adds the causes. thv help CODE explains an error code, such as PORT_IN_USE; with --format json, the error is a JSON object on standard error.",
    },
    { kind: "terms", terms: Object.entries(EXIT_CODES) },
  ],
};

/** What each error code means and what to do about it, in the reader's words. A new code does not compile without its entry. */
import type { ErrorCode } from "@toolhive/core/errors";

export interface ErrorGuide {
  readonly cause: string;
  readonly fix: string;
  /** Shown as a block under the fix. */
  readonly command?: string;
}

export const ERROR_GUIDE: Readonly<Record<ErrorCode, ErrorGuide>> = {
  INVALID_ARGUMENT: {
    cause: "A value in the command or the request is not what is expected there. The message names all of them.",
    fix: "Correct the values that the message names.",
  },
  USAGE: {
    cause: "The command line was not understood: an unknown option, or an argument too many or too few.",
    fix: "Look at the command's help. Options of the server itself belong behind `--`.",
    command: "thv run --help",
  },
  INVALID_WORKLOAD_NAME: {
    cause: "The name of a server holds a character that container names cannot have.",
    fix: "Use letters, digits, dashes and dots, and begin with a letter or a digit.",
  },
  WORKLOAD_NOT_FOUND: {
    cause: "No server has this name.",
    fix: "Look at the list, with stopped servers included.",
    command: "thv list --all",
  },
  IMAGE_NOT_FOUND: {
    cause: "The image registry has no such image, or does not show it without a sign-in.",
    fix: "Check the spelling. Pull an image of a private image registry with the engine's own command first.",
  },
  WORKLOAD_EXISTS: {
    cause: "A server of this name is there already.",
    fix: "Remove it, or choose another name.",
    command: "thv rm everything",
  },
  CONTAINER_NAME_TAKEN: {
    cause: "A container that is not a server of ToolHive has this name. It is left alone.",
    fix: "Choose another name for the server.",
    command: "thv run --name everything-2 mcp/everything",
  },
  WORKLOAD_BUSY: {
    cause: "The server is being removed.",
    fix: "Wait until the list does not show it, then try again.",
  },
  ENGINE_UNREACHABLE: {
    cause: "No container engine answers at the places that the message names.",
    fix: "Start Docker, Podman or Rancher Desktop. When it listens elsewhere, set `DOCKER_HOST`.",
  },
  ENGINE_PERMISSION: {
    cause: "The engine's socket is there, and your user may not use it.",
    fix: "Give your user access to the engine and sign in again, or use rootless Podman.",
  },
  ENGINE_FAILED: {
    cause: "The container engine refused or failed. The message holds its words.",
    fix: "Act on what the engine says: often the disk is full or the image does not fit the processor.",
  },
  PORT_IN_USE: {
    cause: "Another program listens on the port. The message names it where the system tells.",
    fix: "End that program, or choose another port.",
    command: "thv serve --port 8081",
  },
  SERVER_EXITED: {
    cause: "The server in the container ended. Its last lines are shown with the message.",
    fix: "Most often a variable is missing: pass it with `--env`.",
    command: "thv logs everything",
  },
  SERVER_NOT_READY: {
    cause: "The container runs, and the server did not answer in time.",
    fix: "Read its log. A server that speaks HTTP instead of stdio never answers here.",
    command: "thv logs everything",
  },
  SUPERVISOR_RUNNING: {
    cause: "A supervisor of this user is running already.",
    fix: "Use it: every command finds it by itself. To move the API to this terminal, end the other one first.",
  },
  SUPERVISOR_UNREACHABLE: {
    cause: "The supervisor in the background does not answer or could not be started.",
    fix: "Start it in the foreground to see why.",
    command: "thv serve",
  },
  STATE_CORRUPT: {
    cause: "A file in the state folder cannot be read as what it should be. The message names the file.",
    fix: "Mend the file, or remove the server and run it again.",
    command: "thv rm everything",
  },
  SECRETS_NOT_SET_UP: {
    cause: "No secrets provider was chosen yet.",
    fix: "Choose one. Nothing else has to be done first.",
    command: "thv secret setup",
  },
  SECRET_NOT_FOUND: {
    cause: "The secrets provider has no secret of this name. Names are case-sensitive.",
    fix: "Look at the names that there are.",
    command: "thv secret list",
  },
  SECRET_EXISTS: {
    cause: "A secret of this name was stored before, and creating does not replace it.",
    fix: "Update the secret instead, or choose another name.",
  },
  SECRETS_READ_ONLY: {
    cause: "The secrets provider in use can only be read, or keeps nothing.",
    fix: "Change the secret where it is kept, or switch to the encrypted provider.",
    command: "thv secret provider encrypted",
  },
  ISOLATION_FAILED: {
    cause:
      "The sidecar that filters the network of the server could not be built, started or made ready. The server was not started, because it would have been without a filter.",
    fix: "Read the message: it names what is missing. Without access to an image registry, load an image of the sidecar that was built elsewhere, and name it in `TOOLHIVE_SIDECAR_IMAGE`.",
  },
  IMAGE_NOT_VERIFIED: {
    cause:
      "The workload insists on a proof of its image's origin, and there is none, it names another signer, or it could not be checked, because the image registry or the trust root did not answer. The server was not started.",
    fix: "Read the message: it names what is missing or differs. Without a connection, name a trust root of your own in `TOOLHIVE_SIGSTORE_TRUSTED_ROOT` where the supervisor is started. Run the image without a proof only when you trust it for another reason.",
    command: "thv registry info github",
  },
  SECRETS_NOT_READABLE: {
    cause: "The provider `none` is in use: it holds no values.",
    fix: "Switch to a provider that does.",
    command: "thv secret setup",
  },
  SECRETS_NO_KEYRING: {
    cause: "The operating system offers no keyring to keep the password of the encrypted provider, and none was given.",
    fix: "Give a password when you are asked, or set `TOOLHIVE_SECRETS_PASSWORD` where the supervisor is started.",
    command: "thv secret setup",
  },
  SECRETS_WRONG_PASSWORD: {
    cause: "The password is not the one that the secrets were stored with. It was not kept.",
    fix: "Try again with the right one. Nothing was changed.",
  },
  SECRETS_LOCKED: {
    cause: "The secrets are encrypted, and their password is neither in a keyring nor in the environment.",
    fix: "Use a command that asks for it. It is then known until the supervisor ends.",
    command: "thv secret list",
  },
  SECRETS_FAILED: {
    cause: "The file or the command that holds the secrets cannot be read or written. The message says why.",
    fix: "Act on what the message says. The secrets are as they were.",
  },
  CLIENT_UNKNOWN: {
    cause: "No MCP client of this name is supported.",
    fix: "Look at the names that are.",
    command: "thv client status",
  },
  CLIENT_FILE_INVALID: {
    cause: "The client's settings file holds something that cannot be understood. It was left as it is.",
    fix: "Correct the file at the place that the message names, then register the client again.",
  },
  CLIENT_FILE_FAILED: {
    cause: "The client's settings file cannot be read or written, for example because it is read-only.",
    fix: "Check its rights and the space on the disk. The file is as it was.",
  },
  REGISTRY_NOT_FOUND: {
    cause: "There is one registry, and it is called `default`.",
    fix: "Use that name in the address.",
  },
  REGISTRY_SERVER_NOT_FOUND: {
    cause: "The registry that is in use lists no server of this name. Names are lower-case.",
    fix: "Search by a word of its name, its description or its tags.",
    command: "thv registry list",
  },
  REGISTRY_UNAVAILABLE: {
    cause: "The registry at the configured address or path cannot be read, and there is no earlier copy of it.",
    fix: "Check the address and the connection, or go back to the built-in registry.",
    command: "thv config unset-registry-url",
  },
  REGISTRY_INVALID: {
    cause: "The configured registry is not what a registry has to look like. The message lists every problem.",
    fix: "Correct the file, or go back to the built-in registry.",
    command: "thv config unset-registry-url",
  },
  CONFIG_INVALID: {
    cause: "The settings file `config.yaml` cannot be understood. The message lists every problem with its place.",
    fix: "Correct the file. It is left as it is until then.",
  },
  CONFIG_LOCKED: {
    cause: "Another process is changing the settings file and has not finished in time.",
    fix: "Try again.",
  },
  BUILD_FAILED: {
    cause:
      "The image for an `npx://`, `uvx://` or `go://` server could not be built. The message holds the last lines of the build.",
    fix: "Check the package's name and the connection. Behind a proxy that inspects traffic, set its certificate.",
    command: "thv config get-ca-cert",
  },
  NOT_SUPPORTED: {
    cause: "The operation exists for compatibility and does nothing in this version.",
    fix: "Set another registry for the whole tool.",
    command: "thv config get-registry-url",
  },
  UNAUTHENTICATED: {
    cause: "The API was started with OIDC, and the request has no token of its issuer, or one that is not valid here.",
    fix: "Get a new token from the issuer and send it as `Authorization: Bearer TOKEN`. The message says what is wrong.",
  },
  ISSUER_UNAVAILABLE: {
    cause: "The discovery document or the keys of the OIDC issuer cannot be read, so no token can be checked.",
    fix: "Check the address after `--oidc-issuer` or `--oidc-jwks-url`, and the connection to it.",
  },
  FILE_FAILED: {
    cause: "A file or folder of ToolHive cannot be read, written or removed. The message names it and says why.",
    fix: "Look at who owns it, at its permissions, and at the space that is left on the disk.",
    command: "thv help files",
  },
  CHECKS_FAILED: {
    cause: "`thv doctor` found something without which ToolHive does not work.",
    fix: "Do what it says below each line that begins with `fail`, then let it look again.",
    command: "thv doctor",
  },
  INTERRUPTED: {
    cause: "You pressed Ctrl-C or the program was asked to end.",
    fix: "Nothing has to be done: what was half-made was taken back, or goes on. The message says which.",
  },
  INTERNAL: {
    cause: "A defect in ToolHive.",
    fix: "Report it with the output of the same command with `--debug`.",
  },
};

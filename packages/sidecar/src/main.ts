/** The program of a sidecar's container on an engine. */
import { ALLOW_COMMAND, CLOSE_COMMAND } from "@toolhive/core/sidecar-rules";
import { closedNetworksFile } from "./closed-file.ts";
import { rulesFile } from "./rules-file.ts";
import { readSidecarSettings, runSidecar } from "./run-sidecar.ts";

// Another process in the same container, which the supervisor starts when the machine's networks have changed.
if (process.argv[2] === CLOSE_COMMAND) closedNetworksFile.write(process.argv[3] ?? "");
else if (process.argv[2] === ALLOW_COMMAND) rulesFile.write(process.argv[3] ?? "");
else await runSidecar(readSidecarSettings(process.env));

/** The program of a sidecar's container on an engine. */
import { CLOSE_COMMAND } from "@toolhive/core/sidecar-rules";
import { openClosedFile } from "./closed-file.ts";
import { readSidecarSettings, runSidecar } from "./run-sidecar.ts";

// Another process in the same container, which the supervisor starts when the machine's networks have changed.
if (process.argv[2] === CLOSE_COMMAND) openClosedFile.write(process.argv[3] ?? "");
else await runSidecar(readSidecarSettings(process.env));

import { expect, test } from "vitest";
import type { ContainerEngine } from "../../ports/container-engine.ts";
import { ThvError } from "../../support/errors.ts";
import { ServerCutOffError } from "../server/describe-exit.ts";
import { ContainerRun } from "./container-run.ts";

const CUT_OFF = new ServerCutOffError();
const EXIT = new ThvError("SERVER_EXITED", "The server exited with code 1.");
const REFUSED = new ThvError("ENGINE_FAILED", "The container engine refused.");
const ENGINE = {} as ContainerEngine;

/** A run whose launches end as listed, and those after them well. */
function createRun(ends: readonly Error[], onLaunch: () => void = () => undefined) {
  const left = [...ends];
  const steps: string[] = [];
  const parts = {
    config: { current: { name: "echo" } },
    state: {},
    endpoint: { ensure: async () => undefined },
    context: { log: { warn: (_fields: unknown, message: string) => steps.push(message) } },
    container: { imageWarning: "", ensure: async () => "c1", stop: async () => steps.push("stop") },
    sidecar: { isNeeded: false },
    server: {
      detach: async () => undefined,
      launch: async () => {
        steps.push("launch");
        onLaunch();
        const error = left.shift();
        if (error) throw error;
      },
    },
    onImageReady: () => undefined,
  };
  return { run: new ContainerRun(parts as unknown as ConstructorParameters<typeof ContainerRun>[0]), steps };
}

const AFTER_CUT_OFF = ["server was cut off while it started, and is started once more", "stop", "launch"];
const AFTER_EXIT = ["server is started once more", "launch"];

test.each([
  ["a start that was cut off", { isRestart: false, ends: [CUT_OFF] }, ["launch", ...AFTER_CUT_OFF]],
  ["a restart whose server ended at once", { isRestart: true, ends: [EXIT] }, ["launch", ...AFTER_EXIT]],
  [
    "a restart that was cut off, and whose server then ended",
    { isRestart: true, ends: [CUT_OFF, EXIT] },
    ["launch", ...AFTER_CUT_OFF, ...AFTER_EXIT],
  ],
])("%s is tried once more", async (_what, { isRestart, ends }, steps) => {
  const tried = createRun(ends);

  await tried.run.bringUp(ENGINE, { isRestart, signal: new AbortController().signal });

  expect(tried.steps).toEqual(steps);
});

test.each([
  ["a start whose server ended", { isRestart: false, ends: [EXIT] }, 1],
  ["a start that the engine refused", { isRestart: false, ends: [REFUSED] }, 1],
  ["a restart that the engine refused", { isRestart: true, ends: [REFUSED] }, 1],
  ["a start that was cut off twice", { isRestart: false, ends: [CUT_OFF, CUT_OFF] }, 2],
  ["a restart whose server ended twice", { isRestart: true, ends: [EXIT, EXIT] }, 2],
  [
    "a restart that was cut off, and whose server then ended twice",
    { isRestart: true, ends: [CUT_OFF, EXIT, EXIT] },
    3,
  ],
])("%s has failed", async (_what, { isRestart, ends }, launches) => {
  const tried = createRun(ends);

  const done = tried.run.bringUp(ENGINE, { isRestart, signal: new AbortController().signal });

  await expect(done).rejects.toBe(ends.at(-1));
  expect(tried.steps.filter((step) => step === "launch")).toHaveLength(launches);
});

test("a start that was cancelled is not tried again", async () => {
  const cancel = new AbortController();
  const tried = createRun([CUT_OFF], () => cancel.abort());

  await expect(tried.run.bringUp(ENGINE, { isRestart: true, signal: cancel.signal })).rejects.toBe(CUT_OFF);

  expect(tried.steps).toEqual(["launch"]);
});

/** The engines of this test run, inside a test file. */
import { describe, inject, test } from "vitest";
import { type TestEngine, toTestEngine } from "./engines/start-engines.ts";
import "./global-setup.ts";

type Kind = TestEngine["kind"];
const NAMES: Readonly<Record<Kind, string>> = { docker: "Docker", podman: "Podman" };

/** Of this lane: a Docker, a Podman or both where they can be had. */
export function getTestEngines(): TestEngine[] {
  return inject("engines").map(toTestEngine);
}

export interface EngineChoice {
  /** Default: all of the lane. */
  readonly kinds?: readonly Kind[];
  /** One engine is enough, the first that does. Default false. */
  readonly isOneEnough?: boolean;
  /** Why a test cannot use this engine, or `undefined`. Default: it can use any. */
  readonly findObstacle?: (engine: TestEngine) => string | undefined;
}

/** Those whose daemon the tests may end, for they started it. */
export const OWN_ENGINES: EngineChoice = {
  findObstacle: ({ origin }) => (origin.startsWith("private") ? undefined : "it is not the tests' to be restarted"),
};

/**
 * Those that pull from an image registry on this machine's loopback address over plain http: every Docker that is in this
 * machine's network, and the private Podman, which is configured to.
 */
export const ENGINES_FOR_LOCAL_IMAGES: EngineChoice = {
  findObstacle: ({ kind, origin, traits }) => {
    if (kind === "docker") return traits?.isRootless ? "this machine's loopback address is not its own" : undefined;
    return origin.startsWith("private") ? undefined : "it pulls over https only";
  },
};

/** Those that bound what a server takes: without that, a test that takes too much would take the machine. */
export const BOUNDING_ENGINES: EngineChoice = {
  findObstacle: ({ traits }) => (traits?.isBounding ? undefined : "it bounds no memory and no processes here"),
};

/** Those whose containers reach services at this machine's own addresses. */
export const ENGINES_BESIDE_MACHINE: EngineChoice = {
  findObstacle: ({ kind, traits }) =>
    kind === "docker" && traits?.isRootless ? "its containers are in another network than this machine" : undefined,
};

/** What cannot be tested stands among the tests, with the reason. */
function describeMissing(title: string, obstacle: string): void {
  describe.skipIf(true)(`${title} (skipped: ${obstacle})`, () => {
    test("needs another engine", () => undefined);
  });
}

type Body = (engine: TestEngine) => void;

/**
 * A suite for each engine of the lane that there is, and a skipped one, with the reason, for each that there is not.
 *
 * @param title `$kind` in it is the engine's.
 */
export function describeEngines(title: string, body: Body): void;
export function describeEngines(title: string, choice: EngineChoice, body: Body): void;
export function describeEngines(title: string, first: EngineChoice | Body, second?: Body): void {
  const [choice, body] = typeof first === "function" ? [{}, first] : [first, second as Body];
  const ofLane = inject("engineKinds");
  const { kinds = ofLane, isOneEnough = false, findObstacle = () => undefined } = choice;
  const all = getTestEngines();
  const found = kinds
    .filter((kind) => ofLane.includes(kind))
    .map((kind) => {
      const engine = all.find((each) => each.kind === kind);
      const obstacle = engine === undefined ? `no ${NAMES[kind]} answers here` : findObstacle(engine);
      return { kind, engine, obstacle };
    });
  const fit = found.filter(({ obstacle }) => obstacle === undefined);
  const chosen = isOneEnough ? (fit.length > 0 ? fit : found).slice(0, 1) : found;
  for (const { kind, engine, obstacle } of chosen) {
    const name = title.replaceAll("$kind", kind);
    if (engine === undefined || obstacle !== undefined) describeMissing(name, obstacle ?? "");
    else describe(name, () => body(engine));
  }
}

/** The images of an engine: finds, pulls, builds and removes them. */
import { stripVTControlCharacters } from "node:util";
import type { BuildImageOptions, ContainerEngine, PullProgress } from "@toolhive/core";
import { ThvError } from "@toolhive/core";
import { type EngineHttp, EngineStatusError } from "./connection/engine-http.ts";
import { createEngineError, createPullError, ignoreAbsent, translate } from "./engine-failures.ts";
import { parseImageDigests, readBuildMessage, readPullError } from "./engine-json.ts";
import { readJsonLines } from "./json-lines.ts";
import { PullProgressMeter } from "./pull-progress.ts";

/** Characters of a line of a build. */
const MAX_BUILD_LINE = 2_000;
/** Lines of a build's output that a failure shows. */
const SHOWN_BUILD_LINES = 10;

/**
 * A removed image takes along its unnamed layers, also those that a build has just found in the engine's cache: of another
 * supervisor, or of `docker image prune`. Docker says so in one of these ways, and the same build succeeds a moment later.
 */
const LOST_LAYER = /^(?:failed to get digest|No such image:|failed to export image: failed to set parent) sha256:/;
const BUILD_ATTEMPTS = 4;

interface BuildFailure {
  /** As the engine says it. */
  readonly reason: string;
  /** The last ones of the output. */
  readonly lines: readonly string[];
}

interface Cancellable {
  readonly signal?: AbortSignal | undefined;
}

type Images = Pick<ContainerEngine, "hasImage" | "imageDigests" | "pullImage" | "buildImage" | "removeImage">;

export class DockerImages implements Images {
  readonly #http: EngineHttp;

  constructor(http: EngineHttp) {
    this.#http = http;
  }

  async hasImage(reference: string, options: Cancellable = {}): Promise<boolean> {
    const path = `/images/${encodeURIComponent(reference)}/json`;
    return (await ignoreAbsent(this.#http.fetchJson({ path, signal: options.signal }))) !== undefined;
  }

  async imageDigests(reference: string, options: Cancellable = {}): Promise<string[]> {
    const path = `/images/${encodeURIComponent(reference)}/json`;
    const raw = await ignoreAbsent(this.#http.fetchJson({ path, signal: options.signal }));
    return raw === undefined ? [] : parseImageDigests(raw);
  }

  async pullImage(
    reference: string,
    options: Cancellable & { onProgress?: ((progress: PullProgress) => void) | undefined } = {},
  ): Promise<void> {
    const meter = new PullProgressMeter();
    try {
      const answer = await this.#http.stream({
        method: "POST",
        path: "/images/create",
        query: formatPullQuery(reference),
        patience: "work",
        signal: options.signal,
      });
      for await (const message of readJsonLines(answer)) {
        const error = readPullError(message);
        if (error) throw createPullError(reference, error);
        const progress = meter.add(message);
        if (progress) options.onProgress?.(progress);
      }
    } catch (error) {
      if (error instanceof ThvError || options.signal?.aborted) throw error;
      throw error instanceof EngineStatusError ? createPullError(reference, error.message) : createEngineError(error);
    }
  }

  async buildImage(
    reference: string,
    readContext: () => AsyncIterable<Uint8Array>,
    options: BuildImageOptions = {},
  ): Promise<void> {
    try {
      for (let attempt = 1; ; attempt += 1) {
        const failure = await this.#build(reference, readContext(), options);
        if (failure === undefined) return;
        if (attempt === BUILD_ATTEMPTS || !LOST_LAYER.test(failure.reason)) throw createBuildError(reference, failure);
      }
    } finally {
      if (options.stageLabel !== undefined) await this.#removeStages(options.stageLabel);
    }
  }

  /** @returns Why the engine did not build the image. */
  async #build(
    reference: string,
    context: AsyncIterable<Uint8Array>,
    options: BuildImageOptions,
  ): Promise<BuildFailure | undefined> {
    const { args = {} } = options;
    const lines: string[] = [];
    const report = (texts: readonly string[]): void => {
      for (const line of texts.map(cleanBuildLine)) {
        if (line === "") continue;
        lines.push(line);
        if (lines.length > SHOWN_BUILD_LINES) lines.shift();
        options.onProgress?.({ message: line.slice(0, MAX_BUILD_LINE) });
      }
    };
    try {
      const answer = await this.#http.stream({
        method: "POST",
        path: "/build",
        query: { t: reference, rm: true, forcerm: true, buildargs: JSON.stringify(args) },
        archive: context,
        patience: "work",
        signal: options.signal,
      });
      // A program writes a line in pieces when parts of it are coloured; each piece is a message.
      let begun = "";
      for await (const message of readJsonLines(answer)) {
        const { text, error } = readBuildMessage(message);
        const whole = (begun + text).split(/[\r\n]+/);
        begun = whole.pop() ?? "";
        if (begun.length > MAX_BUILD_LINE || error !== undefined) {
          whole.push(begun);
          begun = "";
        }
        report(whole);
        if (error !== undefined) return { reason: error, lines };
      }
      report([begun]);
    } catch (error) {
      if (error instanceof EngineStatusError) return { reason: error.message, lines };
      if (error instanceof ThvError || options.signal?.aborted) throw error;
      throw createEngineError(error);
    }
    // Podman ends some failed builds without a word.
    return (await this.hasImage(reference, options)) ? undefined : { reason: "there is no image", lines };
  }

  /** Best effort: the build has ended already, well or badly. */
  async #removeStages(label: string): Promise<void> {
    const filters = JSON.stringify({ dangling: ["true"], label: [label] });
    try {
      await this.#http.fetchJson({ method: "POST", path: "/images/prune", query: { filters } });
    } catch {
      // An engine that keeps them only loses space, and its own prune command removes them.
    }
  }

  async removeImage(reference: string, options: Cancellable = {}): Promise<boolean> {
    try {
      const path = `/images/${encodeURIComponent(reference)}`;
      (await this.#http.stream({ method: "DELETE", path, signal: options.signal })).resume();
      return true;
    } catch (error) {
      if (!(error instanceof EngineStatusError)) throw translate(error);
      if (error.status === 404) return true;
      if (error.status === 409 || /in use|used by/i.test(error.message)) return false;
      throw createEngineError(error);
    }
  }
}

/** What engines print about their own work between the lines of the programs that a build runs. */
const ENGINE_LINE =
  /^(?:-{1,3}> |Removing intermediate container |Successfully (?:built|tagged) |COMMIT |\[Warning\] one or more build.args )/i;

/** @returns An empty text for a line that says nothing of the build's progress. */
function cleanBuildLine(line: string): string {
  const text = stripVTControlCharacters(line)
    .replace(/\p{Cc}+/gu, " ")
    .trim();
  return ENGINE_LINE.test(text) ? "" : text;
}

/** Docker wants name and tag apart; a digest stays with the name. */
function formatPullQuery(reference: string): Record<string, string> {
  if (reference.includes("@")) return { fromImage: reference };
  const tagAt = reference.lastIndexOf(":");
  const hasTag = tagAt > reference.lastIndexOf("/");
  return hasTag
    ? { fromImage: reference.slice(0, tagAt), tag: reference.slice(tagAt + 1) }
    : { fromImage: reference, tag: "latest" };
}

function createBuildError(reference: string, { reason, lines }: BuildFailure): ThvError {
  return new ThvError("BUILD_FAILED", `The image "${reference}" could not be built: ${reason.trim()}`, {
    hint: "Check the package's name and that its base image can be pulled.",
    ...(lines.length > 0 && { detail: lines.join("\n") }),
  });
}

/** The images of an engine: finds, pulls, builds and removes them. */
import { stripVTControlCharacters } from "node:util";
import type { BuildImageOptions, ContainerEngine, PullProgress, RemoveImageOptions } from "@toolhive/core";
import { ThvError, untilAborted } from "@toolhive/core";
import { type EngineHttp, EngineStatusError } from "./connection/engine-http.ts";
import { createEngineError, createPullError, ignoreAbsent, translate } from "./engine-failures.ts";
import { parseImageDigests, readBuildMessage, readPullError } from "./engine-json.ts";
import { readJsonLines } from "./json-lines.ts";
import { PullProgressMeter } from "./pull-progress.ts";

/** Lines of a build's output that a failure shows. */
const SHOWN_BUILD_LINES = 10;

interface Cancellable {
  readonly signal?: AbortSignal | undefined;
}

type Images = Pick<ContainerEngine, "hasImage" | "imageDigests" | "pullImage" | "buildImage" | "removeImage">;

export class DockerImages implements Images {
  readonly #http: EngineHttp;
  /**
   * A removed image takes its unnamed layers along, which a build may be about to use: the engine then fails it with a digest
   * that it cannot open. So a removal waits for the builds that run, and a build for the removals.
   */
  readonly #builds = new Set<Promise<unknown>>();
  readonly #removals = new Set<Promise<unknown>>();

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
    context: AsyncIterable<Uint8Array>,
    options: BuildImageOptions = {},
  ): Promise<void> {
    await waitForAll(this.#removals, options.signal);
    try {
      await keepWhile(this.#builds, this.#build(reference, context, options));
    } finally {
      if (options.stageLabel !== undefined) await this.#removeStages(options.stageLabel);
    }
  }

  async #build(reference: string, context: AsyncIterable<Uint8Array>, options: BuildImageOptions): Promise<void> {
    const { args = {} } = options;
    const lines: string[] = [];
    try {
      const answer = await this.#http.stream({
        method: "POST",
        path: "/build",
        query: { t: reference, rm: true, forcerm: true, buildargs: JSON.stringify(args) },
        archive: context,
        patience: "work",
        signal: options.signal,
      });
      for await (const message of readJsonLines(answer)) {
        const { text, error } = readBuildMessage(message);
        for (const line of text.split(/[\r\n]+/).map(cleanBuildLine)) {
          if (line === "") continue;
          lines.push(line);
          if (lines.length > SHOWN_BUILD_LINES) lines.shift();
          options.onProgress?.({ message: line.slice(0, 200) });
        }
        if (error !== undefined) throw createBuildError(reference, error, lines);
      }
    } catch (error) {
      if (error instanceof EngineStatusError) throw createBuildError(reference, error.message, lines);
      if (error instanceof ThvError || options.signal?.aborted) throw error;
      throw createEngineError(error);
    }
    // Podman ends some failed builds without a word.
    if (!(await this.hasImage(reference, options))) throw createBuildError(reference, "there is no image", lines);
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

  async removeImage(reference: string, options: RemoveImageOptions = {}): Promise<boolean> {
    await waitForAll(this.#builds, options.signal);
    if (options.isUnused?.() === false) return false;
    return await keepWhile(this.#removals, this.#remove(reference, options));
  }

  async #remove(reference: string, options: Cancellable): Promise<boolean> {
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

async function keepWhile<T>(running: Set<Promise<unknown>>, work: Promise<T>): Promise<T> {
  running.add(work);
  try {
    return await work;
  } finally {
    running.delete(work);
  }
}

/** @throws {unknown} The signal's reason. */
async function waitForAll(running: ReadonlySet<Promise<unknown>>, signal: AbortSignal | undefined): Promise<void> {
  while (running.size > 0) {
    const settled = Promise.allSettled(running);
    await (signal === undefined ? settled : untilAborted(settled, signal));
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

function createBuildError(reference: string, reason: string, lines: readonly string[]): ThvError {
  return new ThvError("BUILD_FAILED", `The image "${reference}" could not be built: ${reason.trim()}`, {
    hint: "Check the package's name and that its base image can be pulled.",
    ...(lines.length > 0 && { detail: lines.join("\n") }),
  });
}

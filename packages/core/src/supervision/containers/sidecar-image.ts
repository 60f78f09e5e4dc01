/**
 * The image of sidecars: built once from a base image and the program that is part of thv, or prebuilt elsewhere. Its tag is a
 * hash of its content, so that each version of thv builds its own.
 */
import { createHash } from "node:crypto";
import { createTextEntry, writeTar } from "../../images/tar.ts";
import { type ContainerEngine, MAX_SHOWN_BUILD_LINE, type PullProgress } from "../../ports/container-engine.ts";
import { ThvError } from "../../support/errors.ts";

/** Has Node.js and a package manager; the packet filter is added to it. */
const BASE_IMAGE = "docker.io/library/node:22-alpine";
const REPOSITORY = "toolhivelocal/sidecar";
/** Of the program, in a sidecar. */
export const PROGRAM_PATH = "/toolhive/sidecar.mjs";
/** Small pages for a small program: the young generation of its heap, MiB. */
const NODE_FLAGS = ["--max-semi-space-size=1", "--max-old-space-size=64"];

export interface SidecarImageOptions {
  /** Environment of the supervisor: `TOOLHIVE_SIDECAR_IMAGE`, `TOOLHIVE_SIDECAR_BASE_IMAGE`. */
  readonly env: Readonly<Record<string, string | undefined>>;
  /** The program, as one file of JavaScript. */
  readonly program: string;
}

interface EnsureOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (message: string, pull?: PullProgress) => void;
}

export class SidecarImage {
  readonly #options: SidecarImageOptions;

  constructor(options: SidecarImageOptions) {
    this.#options = options;
  }

  get reference(): string {
    const { env, program } = this.#options;
    if (env.TOOLHIVE_SIDECAR_IMAGE) return env.TOOLHIVE_SIDECAR_IMAGE;
    const hash = createHash("sha256").update(this.#containerfile).update(program).digest("hex");
    return `${REPOSITORY}:${hash.slice(0, 16)}`;
  }

  /** @throws {ThvError} `ISOLATION_FAILED` when it is missing and can be neither pulled nor built. */
  async ensure(engine: ContainerEngine, { signal, onProgress }: EnsureOptions): Promise<string> {
    const { reference } = this;
    if (await engine.hasImage(reference, { signal })) return reference;
    try {
      if (this.#options.env.TOOLHIVE_SIDECAR_IMAGE) await this.#pull(engine, { signal, onProgress });
      else await this.#build(engine, { signal, onProgress });
    } catch (error) {
      if (signal.aborted || !(error instanceof ThvError) || error.code === "ENGINE_UNREACHABLE") throw error;
      throw new ThvError("ISOLATION_FAILED", `The image of the network sidecar is not available: ${error.message}`, {
        hint: `${this.#origin} Without network, load an image that was built elsewhere, and name it in TOOLHIVE_SIDECAR_IMAGE in the supervisor's environment.`,
        detail: error.detail,
        cause: error,
      });
    }
    onProgress("");
    return reference;
  }

  /** Its sources, for the person who has to provide the image. */
  get #origin(): string {
    const { TOOLHIVE_SIDECAR_IMAGE: whole, TOOLHIVE_SIDECAR_BASE_IMAGE: base } = this.#options.env;
    if (whole) return `TOOLHIVE_SIDECAR_IMAGE names ${whole}, which the engine must have or be able to pull.`;
    if (base) return `TOOLHIVE_SIDECAR_BASE_IMAGE names ${base}, which the engine must have or be able to pull.`;
    return `It is built on ${BASE_IMAGE} with the package nftables; both are fetched.`;
  }

  async #pull(engine: ContainerEngine, { signal, onProgress }: EnsureOptions): Promise<void> {
    onProgress("pulling the image of its network sidecar");
    await engine.pullImage(this.reference, {
      signal,
      onProgress: (progress) => onProgress(`pulling the image of its network sidecar: ${progress.message}`, progress),
    });
  }

  async #build(engine: ContainerEngine, { signal, onProgress }: EnsureOptions): Promise<void> {
    onProgress("building the image of its network sidecar");
    const context = [
      createTextEntry("Dockerfile", this.#containerfile),
      createTextEntry("sidecar.mjs", this.#options.program),
    ];
    await engine.buildImage(this.reference, () => writeTar(context), {
      signal,
      onProgress: ({ message }) =>
        onProgress(`building the image of its network sidecar: ${message.slice(0, MAX_SHOWN_BUILD_LINE)}`),
    });
  }

  get #containerfile(): string {
    const own = this.#options.env.TOOLHIVE_SIDECAR_BASE_IMAGE;
    return [
      `FROM ${own || BASE_IMAGE}`,
      // Another base image has to bring `node` and `nft`.
      ...(own ? [] : ['RUN ["apk", "add", "--no-cache", "nftables"]']),
      `COPY sidecar.mjs ${PROGRAM_PATH}`,
      `ENTRYPOINT ${JSON.stringify(["node", ...NODE_FLAGS, PROGRAM_PATH])}`,
      "USER 0",
      "",
    ].join("\n");
  }
}

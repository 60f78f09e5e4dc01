/**
 * Images for servers that are given as a package. The tag is a hash of everything the image is made from, so that the same
 * package is built once, and a changed certificate or source folder causes a new build.
 */
import { createHash, randomUUID } from "node:crypto";
import { readCaCertificate } from "../net/ca-certificate.ts";
import { type ContainerEngine, MAX_SHOWN_BUILD_LINE } from "../ports/container-engine.ts";
import { hasCode, ThvError } from "../support/errors.ts";
import type { PackageScheme } from "../target/target.ts";
import {
  BUILD_ARGUMENT,
  CA_FILE,
  formatDockerfile,
  formatSetupDockerfile,
  getBaseVariable,
  getInstaller,
  listBaseImages,
  SETUP_LABEL,
  STAGE_LABEL,
} from "./dockerfile.ts";
import { parseImageReference } from "./image-reference.ts";
import { explainPackageFailure } from "./package-failure.ts";
import { assertExtraPackage, deriveRepository, type PackageTarget, parsePackageTarget } from "./package-target.ts";
import { readSourceFolder } from "./source-folder.ts";
import { createTextEntry, type TarEntry, writeTar } from "./tar.ts";

export interface PackageImagesOptions {
  /** Path of the certificate that builds trust besides the usual ones; empty for none. Asked for at each use. */
  readonly caCertificatePath: () => Promise<string>;
  /** Environment of the supervisor: names of other base images. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** What is installed, and on what, as a request and a run configuration say it. */
export interface PackageRequest {
  readonly package_target: string;
  /** Path of a certificate to trust instead of the one in the settings. */
  readonly ca_certificate?: string | undefined;
  readonly base_image?: string | undefined;
  readonly with?: readonly string[] | undefined;
}

interface BuildOptions {
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
}

/** The last lines of a build, in which the failure of a package manager is searched for. */
const KEPT_LINES = 1_000;
/** Characters of each. */
const MAX_LINE_LENGTH = 2_000;

export class PackageImages {
  readonly #options: PackageImagesOptions;

  constructor(options: PackageImagesOptions) {
    this.#options = options;
  }

  /**
   * The reference of the image for a package; nothing is built yet.
   *
   * @returns `undefined` for what is not a package.
   * @throws {ThvError} `INVALID_ARGUMENT`, `CONFIG_INVALID`.
   */
  async findReference(request: PackageRequest): Promise<string | undefined> {
    const target = parsePackageTarget(request.package_target);
    if (!target) return undefined;
    assertOptions(target, request);
    const hash = createHash("sha256");
    for await (const chunk of writeTar(await this.#listContext(target, request))) hash.update(chunk);
    return `${deriveRepository(target)}:${hash.digest("hex").slice(0, 16)}`;
  }

  /** @throws {ThvError} `BUILD_FAILED` and the engine's errors. */
  async build(
    engine: ContainerEngine,
    request: PackageRequest,
    reference: string,
    { signal, onProgress }: BuildOptions,
  ): Promise<void> {
    const text = request.package_target;
    const target = parsePackageTarget(text);
    if (!target) throw new Error(`"${text}" is not a package`);
    const lines: string[] = [];
    const build = randomUUID();
    try {
      const context = await this.#listContext(target, request);
      await engine.buildImage(reference, () => writeTar(context), {
        signal,
        args: { [BUILD_ARGUMENT]: build },
        stageLabel: `${STAGE_LABEL}=${build}`,
        onProgress: ({ message }) => {
          lines.push(message.slice(0, MAX_LINE_LENGTH));
          if (lines.length > KEPT_LINES) lines.shift();
          onProgress(message.slice(0, MAX_SHOWN_BUILD_LINE));
        },
      });
    } catch (error) {
      const failure = hasCode(error, "BUILD_FAILED") ? explainPackageFailure(text, lines) : undefined;
      throw failure ?? this.#nameBaseImage(error, target, request);
    }
    const hasOwnBase = Boolean(request.base_image || this.#findBase(target.scheme));
    if (!hasOwnBase && target.kind !== "folder") await keepSetup(engine, target.scheme, signal);
  }

  /** A base image that cannot be pulled is a problem of the network, not of the package's name. */
  #nameBaseImage(error: unknown, { scheme }: PackageTarget, { base_image: own }: PackageRequest): unknown {
    if (!hasCode(error, "BUILD_FAILED")) return error;
    const { code, message, detail } = error;
    const base = listBaseImages(scheme, own || this.#findBase(scheme)).find((each) => namesImage(message, each));
    if (base === undefined) return error;
    const hint = `Check that ${base} can be pulled, or name another one: thv run --base-image IMAGE. For all servers, set ${getBaseVariable(scheme)} and start the supervisor anew.`;
    return new ThvError(code, message, { hint, detail, cause: error });
  }

  /** Another base image for a scheme, by the supervisor's environment. */
  #findBase(scheme: PackageScheme): string | undefined {
    return this.#options.env[getBaseVariable(scheme)] || undefined;
  }

  async #listContext(target: PackageTarget, request: PackageRequest): Promise<TarEntry[]> {
    const { ca_certificate, base_image, with: extra } = request;
    const caPath = ca_certificate || (await this.#options.caCertificatePath());
    const ca = caPath === "" ? undefined : (await readCaCertificate(caPath)).pem;
    const source =
      target.kind === "folder" ? await readSourceFolder(target.path, (isWhole) => (isWhole ? "" : "app")) : undefined;
    if (source?.hasDockerfile) return [...source.entries];
    const installer = getInstaller(target);
    return [
      createTextEntry(
        "Dockerfile",
        formatDockerfile(target, { base: base_image || this.#findBase(target.scheme), extra, hasCa: ca !== undefined }),
      ),
      ...(ca === undefined ? [] : [createTextEntry(CA_FILE, ca)]),
      ...(installer === undefined ? [] : [createTextEntry(installer.file, installer.text)]),
      { kind: "directory", path: "app" },
      // Some engines would omit a folder without a file from the image.
      ...(source?.entries ?? [createTextEntry("app/.toolhive", "")]),
    ];
  }
}

/**
 * Keeps the layers that packages of a scheme share, also while there is no package. The build that has just ended has made them, so
 * nothing is installed here. There is one such image for each scheme: the one that it replaces is removed.
 */
async function keepSetup(engine: ContainerEngine, scheme: PackageScheme, signal: AbortSignal): Promise<void> {
  const context = [createTextEntry("Dockerfile", formatSetupDockerfile(scheme))];
  const reference = `toolhivelocal/setup-${scheme}:latest`;
  try {
    await engine.buildImage(reference, () => writeTar(context), { signal, stageLabel: `${SETUP_LABEL}=${scheme}` });
  } catch (error) {
    // The package has its image; without this one, a later build only takes longer.
    if (signal.aborted) throw error;
  }
}

/** Engines name the image registry, or the image without what they add to its name by themselves. */
function namesImage(message: string, image: string): boolean {
  const [host = "", ...path] = image.replace(/[:@][^/]*$/, "").split("/");
  return [host, path.join("/")].some((name) => name !== "" && message.includes(name));
}

/** @throws {ThvError} `INVALID_ARGUMENT`, before anything of the request gets into a build. */
function assertOptions({ scheme }: PackageTarget, { base_image, with: extra = [] }: PackageRequest): void {
  if (base_image) parseImageReference(base_image);
  if (extra.length === 0) return;
  if (scheme === "go") {
    throw new ThvError(
      "INVALID_ARGUMENT",
      "Nothing can be installed with a Go package: its module says what it needs.",
      {
        hint: "Leave --with out.",
      },
    );
  }
  for (const each of extra) assertExtraPackage(scheme, each);
}

/**
 * Images for servers that are given as a package. The tag is a hash of everything the image is made from, so that the same
 * package is built once, and a changed certificate or source folder causes a new build.
 */
import { createHash, randomUUID } from "node:crypto";
import { readCaCertificate } from "../net/ca-certificate.ts";
import type { ContainerEngine } from "../ports/container-engine.ts";
import { hasCode, ThvError } from "../support/errors.ts";
import {
  BUILD_ARGUMENT,
  CA_FILE,
  formatDockerfile,
  getBaseVariable,
  getInstaller,
  listBaseImages,
  STAGE_LABEL,
} from "./dockerfile.ts";
import { explainPackageFailure } from "./package-failure.ts";
import { deriveRepository, type PackageTarget, parsePackageTarget } from "./package-target.ts";
import { readSourceFolder } from "./source-folder.ts";
import { createTextEntry, type TarEntry, writeTar } from "./tar.ts";

export interface PackageImagesOptions {
  /** Path of the certificate that builds trust besides the usual ones; empty for none. Asked for at each use. */
  readonly caCertificatePath: () => Promise<string>;
  /** Environment of the supervisor: names of other base images. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

interface BuildOptions {
  /** Path of a certificate to trust instead of the one in the settings. */
  readonly caCertificate?: string | undefined;
  readonly signal: AbortSignal;
  readonly onProgress: (message: string) => void;
}

/** The last lines of a build, in which the failure of a package manager is searched for. */
const KEPT_LINES = 100;

export class PackageImages {
  readonly #options: PackageImagesOptions;

  constructor(options: PackageImagesOptions) {
    this.#options = options;
  }

  /**
   * The reference of the image for a target; nothing is built yet.
   *
   * @param caCertificate Path of a certificate to trust instead of the one in the settings.
   * @returns `undefined` for what is not a package.
   * @throws {ThvError} `INVALID_ARGUMENT`, `CONFIG_INVALID`.
   */
  async findReference(text: string, caCertificate?: string): Promise<string | undefined> {
    const target = parsePackageTarget(text);
    if (!target) return undefined;
    const hash = createHash("sha256");
    for await (const chunk of writeTar(await this.#listContext(target, caCertificate))) hash.update(chunk);
    return `${deriveRepository(target)}:${hash.digest("hex").slice(0, 16)}`;
  }

  /** @throws {ThvError} `BUILD_FAILED` and the engine's errors. */
  async build(
    engine: ContainerEngine,
    text: string,
    reference: string,
    { caCertificate, signal, onProgress }: BuildOptions,
  ): Promise<void> {
    const target = parsePackageTarget(text);
    if (!target) throw new Error(`"${text}" is not a package`);
    const lines: string[] = [];
    const build = randomUUID();
    try {
      await engine.buildImage(reference, writeTar(await this.#listContext(target, caCertificate)), {
        signal,
        args: { [BUILD_ARGUMENT]: build },
        stageLabel: `${STAGE_LABEL}=${build}`,
        onProgress: ({ message }) => {
          lines.push(message);
          if (lines.length > KEPT_LINES) lines.shift();
          onProgress(message);
        },
      });
    } catch (error) {
      const failure = hasCode(error, "BUILD_FAILED") ? explainPackageFailure(text, lines) : undefined;
      throw failure ?? this.#nameBaseImage(error, target);
    }
  }

  /** A base image that cannot be pulled is a problem of the network, not of the package's name. */
  #nameBaseImage(error: unknown, { scheme }: PackageTarget): unknown {
    if (!hasCode(error, "BUILD_FAILED")) return error;
    const { code, message, detail } = error;
    const base = listBaseImages(scheme, this.#options.env).find((each) => namesImage(message, each));
    if (base === undefined) return error;
    const hint = `Check that ${base} can be pulled, or name another base image in ${getBaseVariable(scheme)} and start the supervisor anew.`;
    return new ThvError(code, message, { hint, detail, cause: error });
  }

  async #listContext(target: PackageTarget, caCertificate: string | undefined): Promise<TarEntry[]> {
    const caPath = caCertificate ?? (await this.#options.caCertificatePath());
    const ca = caPath === "" ? undefined : (await readCaCertificate(caPath)).pem;
    const source =
      target.kind === "folder" ? await readSourceFolder(target.path, (isWhole) => (isWhole ? "" : "app")) : undefined;
    if (source?.hasDockerfile) return [...source.entries];
    const installer = getInstaller(target);
    return [
      createTextEntry("Dockerfile", formatDockerfile(target, { env: this.#options.env, hasCa: ca !== undefined })),
      ...(ca === undefined ? [] : [createTextEntry(CA_FILE, ca)]),
      ...(installer === undefined ? [] : [createTextEntry(installer.file, installer.text)]),
      { kind: "directory", path: "app" },
      // Some engines would omit a folder without a file from the image.
      ...(source?.entries ?? [createTextEntry("app/.toolhive", "")]),
    ];
  }
}

/** Engines name the image registry, or the image without what they add to its name by themselves. */
function namesImage(message: string, image: string): boolean {
  const [host = "", ...path] = image.replace(/[:@][^/]*$/, "").split("/");
  return [host, path.join("/")].some((name) => name !== "" && message.includes(name));
}

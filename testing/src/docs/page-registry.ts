/**
 * The image registry of pages about shared sets: a real one on loopback. A page shows the name that a reader would use, and what is
 * executed has the one of here.
 */
import { RealImageRegistry } from "../real-image-registry.ts";
import { parsePage, type Step } from "./parse-page.ts";

const SHOWN = "ghcr.io/acme/";

const obstacle = await RealImageRegistry.findObstacle();

export function needsRegistry({ command }: Pick<Step, "command">): boolean {
  return command.includes(`oci://${SHOWN}`);
}

/** What the title of a page's test says of steps that this machine cannot run; usually empty. */
export function nameUnrun(source: string): string {
  if (obstacle === undefined || !parsePage(source).steps.some(needsRegistry)) return "";
  return `, without commands for an image registry: ${obstacle}`;
}

export class PageRegistry implements AsyncDisposable {
  readonly #registry: RealImageRegistry | undefined;

  private constructor(registry: RealImageRegistry | undefined) {
    this.#registry = registry;
  }

  /** @param source Of the page. Without commands for a registry, and where there is no program of one, nothing is started. */
  static async start(source: string): Promise<PageRegistry> {
    const isNeeded = obstacle === undefined && parsePage(source).steps.some(needsRegistry);
    return new PageRegistry(isNeeded ? await RealImageRegistry.start() : undefined);
  }

  /** What the page shows, and what is there instead. */
  get stands(): ReadonlyMap<string, string> {
    return new Map(this.#registry === undefined ? [] : [[SHOWN, `${this.#registry.host}/acme/`]]);
  }

  /** Whether a step can run here. */
  canRun(step: Step): boolean {
    return this.#registry !== undefined || !needsRegistry(step);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#registry?.[Symbol.asyncDispose]();
  }
}

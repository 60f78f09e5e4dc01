/**
 * Names bundles by one name instead of a number and a name, which spares each page two tables that translate between them
 * (docs/decisions/0013).
 */
import type { CurrentBundler } from "@docusaurus/types";
import { FrameworkPatchError } from "../patch-error.mjs";

type Compiler = InstanceType<CurrentBundler["instance"]["Compiler"]>;

const NAME = "toolhive-bundle-names";

/**
 * @param plugins Those of the framework's configuration of the bundler.
 * @returns The same with our function from a bundle's name to its address in the place of the framework's. The bundler fails when
 *   it was not there; reading the configuration does not, because tools read it without the framework's part.
 */
export function replaceChunkAssetPlugin<Plugin>(plugins: readonly Plugin[]): (Plugin | BundleAddresses)[] {
  const others = plugins.filter((plugin) => plugin?.constructor.name !== "ChunkAssetPlugin");
  return [...others, new BundleAddresses(plugins.length - others.length)];
}

/** `__webpack_require__.gca`, the framework's function from a bundle's name to its address, for bundles whose name is their id. */
class BundleAddresses {
  readonly #replaced: number;

  /** @param replaced How many plugins of the framework this one replaces. */
  constructor(replaced: number) {
    this.#replaced = replaced;
  }

  apply(compiler: Compiler): void {
    if (this.#replaced !== 1)
      throw new FrameworkPatchError(`The framework has ${this.#replaced} plugins called ChunkAssetPlugin, not one.`);
    const { RuntimeGlobals, RuntimeModule } = compiler.webpack;
    class AddressOfBundle extends RuntimeModule {
      constructor() {
        super("address of bundle", RuntimeModule.STAGE_ATTACH);
      }
      override generate(): string {
        const { require, publicPath, getChunkScriptFilename } = RuntimeGlobals;
        return `${require}.gca = (name) => ${publicPath} + ${getChunkScriptFilename}(name);`;
      }
    }
    compiler.hooks.thisCompilation.tap(NAME, (compilation) => {
      compilation.hooks.additionalTreeRuntimeRequirements.tap(NAME, (chunk) => {
        compilation.addRuntimeModule(chunk, new AddressOfBundle());
      });
    });
  }
}

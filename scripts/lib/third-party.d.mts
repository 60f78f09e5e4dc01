/** Types of `third-party.mjs` for TypeScript projects that do not read JavaScript. */
export interface ShippedPackage {
  readonly name: string;
  readonly version: string;
  readonly license: string;
  readonly directory: string;
}

export function findPackages(files: Iterable<string>): ShippedPackage[];
export function findClosure(root: string, names: readonly string[]): ShippedPackage[];
export function assertLicenses(packages: readonly ShippedPackage[]): void;
export function formatNotices(product: string, packages: readonly ShippedPackage[]): string;
export function narrowBom<Bom extends object>(
  bom: Bom,
  product: { readonly name: string; readonly version: string; readonly packages: readonly ShippedPackage[] },
): Bom;

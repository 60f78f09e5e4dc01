import type { BuildOptions } from "esbuild";

export function describeBundle(version: string): Promise<BuildOptions & { metafile: true }>;

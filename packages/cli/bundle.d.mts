import type { BuildOptions, Metafile } from "esbuild";

export function describeBundle(version: string): Promise<BuildOptions & { metafile: true }>;
export function bundleProgram(dist: string, version: string): Promise<Metafile>;

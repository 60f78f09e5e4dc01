import type { BuildOptions, Metafile } from "esbuild";

export function describeBundle(version: string): Promise<BuildOptions & { metafile: true }>;
export function bundleProgram(dist: string, version: string): Promise<Metafile>;

/** @returns The same script in one byte a character. */
export function escapeWide(script: string): string;

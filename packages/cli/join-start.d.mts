import type { Metafile } from "esbuild";

export function listStartChunks(entry: string, metafile: Pick<Metafile, "outputs">): string[];

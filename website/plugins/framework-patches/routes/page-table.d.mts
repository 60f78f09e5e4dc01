/** Types of `page-table.mjs`, for its test. */
type ChunkNames = Readonly<Record<string, Readonly<Record<string, unknown>>>>;
export function writeChunkNames(routes: string, chunkNames: ChunkNames): string;
export function writeRoutes(routes: string, chunkNames: ChunkNames): string;
export function writeRegistry(registry: string): string;

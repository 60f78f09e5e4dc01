/** Makes what engines send, and cuts it up as a network would. */

/** One frame of a multiplexed stream. */
export function frame(stream: "stdout" | "stderr", payload: Uint8Array): Buffer {
  const header = Buffer.alloc(8);
  header[0] = stream === "stderr" ? 2 : 1;
  header.writeUInt32BE(payload.length, 4);
  return Buffer.concat([header, payload]);
}

/** Cuts bytes at the given offsets, in any order; offsets beyond the end cut nothing. */
export function cut(bytes: Buffer, offsets: readonly number[]): Buffer[] {
  const at = [...new Set(offsets)].filter((offset) => offset > 0 && offset < bytes.length).sort((a, b) => a - b);
  const chunks: Buffer[] = [];
  let from = 0;
  for (const to of [...at, bytes.length]) {
    chunks.push(bytes.subarray(from, to));
    from = to;
  }
  return chunks.filter((chunk) => chunk.length > 0);
}

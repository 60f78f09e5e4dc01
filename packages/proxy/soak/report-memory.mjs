/**
 * Loaded into the endpoint's process with `--import`: answers each message of its parent with the memory that it holds,
 * after a collection when the message asks for one (`node --expose-gc`).
 */
process.on("message", (/** @type {{ collect: boolean }} */ { collect }) => {
  // Finalizers of the first collection free what the next one finds.
  if (collect) for (let n = 0; n < 4; n++) globalThis.gc();
  process.send?.(process.memoryUsage());
});
// Listening must not keep it alive when its server has gone.
process.channel?.unref();

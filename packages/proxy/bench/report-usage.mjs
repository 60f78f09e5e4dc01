/**
 * Loaded before a target (`--import`): tells who started it, on demand, how much processor time it has used, in microseconds. It ends
 * with its channel, in a way in which Node writes what `--cpu-prof` has found.
 */
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on("disconnect", () => process.exit());

/**
 * Loaded before a target (`--import`): sends its parent, when asked, the processor time that it has used, in microseconds. It ends
 * with its channel, in a way in which Node writes what `--cpu-prof` has found.
 */
process.on("message", () => {
  const { user, system } = process.cpuUsage();
  process.send?.(user + system);
});
process.on("disconnect", () => process.exit());

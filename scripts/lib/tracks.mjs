/**
 * Runs tracks side by side: each its own work, one after the other, and then the parts of `shared` that no track has begun.
 *
 * @template T
 * @param {{ tracks: readonly (readonly T[])[], shared: readonly T[] }} plan
 * @param {(work: T) => Promise<unknown>} run
 */
export async function runTracks({ tracks, shared }, run) {
  const rest = [...shared];
  await Promise.all(
    tracks.map(async (track) => {
      for (const work of track) await run(work);
      for (let work = rest.shift(); work !== undefined; work = rest.shift()) await run(work);
    }),
  );
}

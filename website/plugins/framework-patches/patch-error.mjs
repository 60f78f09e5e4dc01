/** What to do is the same for each of them. */
const NEXT_STEP =
  "Read website/plugins/framework-patches/patch-table.ts, adapt or drop the patch, run the tests of website/, and write the new version there.";

/** The build stops: the framework is not the one that a patch was written for. Loaders are JavaScript, and so is this. */
export class FrameworkPatchError extends Error {
  /** @param {string} problem Sentence that names the patch and what it did not find. */
  constructor(problem) {
    super(`${problem} ${NEXT_STEP}`);
    this.name = "FrameworkPatchError";
  }
}

/** Types of `patch-error.mjs`. */
export class FrameworkPatchError extends Error {
  constructor(problem: string);
}

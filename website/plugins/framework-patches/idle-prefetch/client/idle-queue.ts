/** Works off named jobs one after the other, each in an idle moment. A name that was added before is not added again. */
export interface IdleQueue<Result> {
  /** @returns The job's result, `undefined` when it failed; no promise when its name was added before. */
  add(name: string, job: () => Promise<Result>): Promise<Result | undefined> | undefined;
}

/** @param whenIdle Calls its argument once, in the browser's next idle moment. */
export function createIdleQueue<Result>(whenIdle: (work: () => void) => void): IdleQueue<Result> {
  const known = new Set<string>();
  const waiting: (() => Promise<void>)[] = [];
  let isRunning = false;

  const runNext = (): void => {
    const job = waiting.shift();
    isRunning = job !== undefined;
    if (job !== undefined) whenIdle(() => void job().then(runNext));
  };

  return {
    add(name, job) {
      if (known.has(name)) return undefined;
      known.add(name);
      return new Promise((resolve) => {
        // A failed prefetch is ignored; navigation retries it and reports its failure.
        waiting.push(() => job().then(resolve, () => resolve(undefined)));
        if (!isRunning) runNext();
      });
    },
  };
}

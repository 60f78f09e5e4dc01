/** What can be done with a server: a button shows that it works, and what went wrong stays until the next try. */
import { useState } from "react";
import { call } from "../../api/client.ts";
import { type Problem, toProblem } from "../../parts/problem-view.tsx";

export interface Action {
  readonly isBusy: boolean;
  readonly problem: Problem | undefined;
  run(work: () => Promise<unknown>): Promise<boolean>;
  /** Forgets what went wrong. */
  clear(): void;
}

export function useAction(): Action {
  const [isBusy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | undefined>();
  const run = async (work: () => Promise<unknown>) => {
    setBusy(true);
    setProblem(undefined);
    try {
      await work();
      return true;
    } catch (error) {
      setProblem(toProblem(error));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return { isBusy, problem, run, clear: () => setProblem(undefined) };
}

export const startServer = async (name: string) => await call("restartWorkload", { params: { name } });
export const stopServer = async (name: string) => await call("stopWorkload", { params: { name } });
export const removeServer = async (name: string) => await call("deleteWorkload", { params: { name } });

import { availableParallelism } from "node:os";
import { defineConfig } from "vitest/config";
import { LANES } from "./testing/src/lanes.ts";
import { networkedForks } from "./testing/src/networked-forks.ts";
import { countWorkers } from "./testing/src/unit/count-workers.ts";
import { sharedForks } from "./testing/src/unit/shared-forks.ts";

/** What all tests have in common. A project takes over nothing from the configuration around it. */
const ALL_TESTS = {
  // A failure is read in the log of another machine: with the values that differ, not with their number. A title of `each` is whole,
  // and with it the reason for which a test was skipped.
  chaiConfig: { truncateThreshold: 400 },
};

/** What the tests have in common that use the real engines. */
const ENGINE_TESTS = {
  ...ALL_TESTS,
  globalSetup: ["testing/src/global-setup.ts"],
  pool: networkedForks,
  testTimeout: 120_000,
  hookTimeout: 300_000,
  expect: { poll: { timeout: 20_000 } },
  // One process for all files of a lane. A process for each would load its modules again, a second of a processor and more.
  isolate: false,
  fileParallelism: false,
  // Engines on a machine with other work now and then miss a moment. The end of the run names each such test.
  retry: 1,
};

const WORKERS = countWorkers(process.env.VITEST_MAX_WORKERS, availableParallelism());
// vitest would give it to each lane, too, whose tests count what is in one engine.
delete process.env.VITEST_MAX_WORKERS;

export default defineConfig({
  test: {
    // All cores: vitest would leave one idle, which on two cores is half of the machine.
    maxWorkers: WORKERS,
    projects: [
      {
        test: {
          ...ALL_TESTS,
          name: "unit",
          include: ["{packages,website,testing,scripts}/**/*.test.{ts,tsx}"],
          exclude: ["**/node_modules/**", "**/*.e2e.test.ts", "website/e2e/**"],
          // One process for many files, but for those that need one of their own.
          isolate: false,
          pool: sharedForks,
          setupFiles: ["testing/src/unit/setup.ts"],
          // What waits for the collector is in each cost that a test measures: with Node.js 24 that would be four times as much.
          execArgv: ["--max-semi-space-size=16"],
          // Far more than any needs, because they also run on slow machines with other work.
          testTimeout: 120_000,
          hookTimeout: 120_000,
          expect: { poll: { timeout: 20_000 } },
        },
      },
      ...LANES.map(({ name, include, exclude }, index) => ({
        test: {
          name,
          include: [...include],
          exclude: [...exclude],
          ...ENGINE_TESTS,
          // A run of several projects takes one after the other: vitest mixes none with other numbers of workers.
          sequence: { groupOrder: index + 1 },
        },
      })),
    ],
  },
});

/**
 * Operations at random on MCPServers, with kills between. `OPERATOR_SEED` repeats a run as far as the moments of its operations allow;
 * `OPERATOR_OPERATIONS` is their number.
 */
import { randomInt } from "node:crypto";
import { describeCluster } from "@toolhive/testing";
import { beforeAll, test } from "vitest";
import { RandomOperations } from "../src/testing/random-operations.ts";
import { installCrd } from "../src/testing/test-operator.ts";

const OPERATIONS = Number(process.env.OPERATOR_OPERATIONS ?? 60);
const SEED = Number(process.env.OPERATOR_SEED ?? randomInt(2 ** 31));
const CHECK_EVERY = 30;
/** Milliseconds for one operation and its part of a check, on a machine with other work. */
const PATIENCE_MS = 10_000;

/** Garbage collection of a busy cluster can outlast the patience of a check, which fails a run of all tests for no fault of the operator. */
const OBSTACLE =
  process.env.OPERATOR_OPERATIONS === undefined ? "minutes of kills: npm run soak -w @toolhive/operator" : undefined;

describeCluster(
  "MCPServers",
  (cluster) => {
    beforeAll(() => installCrd(cluster));

    test(
      `have exactly the objects that they declare after ${OPERATIONS} operations, and no others remain`,
      async ({ annotate }) => {
        await annotate(`OPERATOR_SEED=${SEED}`);
        await using space = await cluster.createNamespace("random");
        await using operations = new RandomOperations(cluster, space, SEED);
        await operations.run(OPERATIONS, CHECK_EVERY);
        const killed = operations.journal.filter((line) => line.endsWith(" is killed"));
        await annotate(`${killed.length} kills: ${[...new Set(killed)].join(", ")}`);
      },
      OPERATIONS * PATIENCE_MS,
    );
  },
  OBSTACLE,
);

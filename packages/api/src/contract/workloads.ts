/** The operations on several workloads at a time. Source: api-behaviour 2.2. */
import { Type } from "typebox";
import { DOCUMENTED } from "./documented.ts";
import { operation } from "./operation.ts";

const NamesSchema = Type.Object(
  {
    names: Type.Array(Type.String(DOCUMENTED.workloadName), {
      minItems: 1,
      description: "Names of the workloads.",
      examples: [["everything"]],
    }),
  },
  { $id: "BulkRequest" },
);

const DESCRIPTION =
  "All names are checked before anything happens. Names of workloads that do not exist are left out; the work goes on after the answer.";

function bulk(verb: string, doing: string) {
  return operation({
    tag: "workloads",
    summary: `${verb} several workloads`,
    description: DESCRIPTION,
    body: NamesSchema,
    missingError: "No workload names provided",
    success: { status: 202, description: `The workloads are being ${doing}.` },
    errors: { INVALID_WORKLOAD_NAME: "Invalid workload name:" },
  });
}

export const BULK_OPERATIONS = {
  stopWorkloads: bulk("Stop", "stopped"),
  restartWorkloads: bulk("Restart", "restarted"),
  deleteWorkloads: bulk("Delete", "deleted"),
};

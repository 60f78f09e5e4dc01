/** Whether the registry has another image for a workload, as entities of the API. */
import { EnvVarSchema } from "@toolhive/core";
import * as Type from "typebox";

export const UpgradeCheckSchema = Type.Object(
  {
    name: Type.String(),
    image: Type.String({ description: "Image that the workload runs from." }),
    available: Type.Boolean({ description: "Whether the registry lists another image." }),
    server: Type.Optional(Type.String({ description: "Name of the registry entry." })),
    new_image: Type.Optional(Type.String({ description: "Image that the workload would run from." })),
    new_variables: Type.Array(EnvVarSchema, {
      description: "Variables that the entry lists and the workload does not set.",
    }),
    reason: Type.Optional(Type.String({ description: "Reason why there is no upgrade." })),
  },
  { $id: "UpgradeCheck" },
);

const DriftVariableSchema = Type.Object(
  {
    name: Type.String(),
    description: Type.Optional(Type.String()),
    required: Type.Boolean(),
    secret: Type.Optional(Type.Boolean()),
    default: Type.Optional(Type.String({ description: "Absent for a secret." })),
  },
  { $id: "UpgradeVariable" },
);

export const UpgradeResultSchema = Type.Object(
  {
    workload_name: Type.String(),
    registry_server: Type.Optional(Type.String()),
    status: Type.Enum(["up-to-date", "upgrade-available", "not-registry-sourced"]),
    current_image: Type.String(),
    candidate_image: Type.Optional(Type.String()),
    reason: Type.Optional(Type.String()),
    env_var_drift: Type.Optional(
      Type.Object({ added: Type.Array(DriftVariableSchema) }, { description: "Absent without new variables." }),
    ),
  },
  { $id: "UpgradeCheckResult", description: "The same for clients of the reference." },
);

/**
 * What the OpenAPI document says more exactly than the schemas that requests are checked with. Those let some values through
 * to the operation, which refuses them in its own words and with its own code; the document must not promise them.
 */
import { CLIENTS, documented, REQUEST_CONSTRAINTS, SECRET_PROVIDER_TYPES } from "@toolhive/core";

export const DOCUMENTED = {
  ...REQUEST_CONSTRAINTS,
  boolean: documented({ type: "boolean", examples: [true] }),
  seconds: documented({ type: "integer", minimum: 0, maximum: 3600, examples: [30] }),
  logTail: documented({ pattern: "^(?:all|0*[0-9]{1,5}|100000)$", maxLength: 6 }),
  logSince: documented({
    maxLength: 20,
    pattern:
      "^(?:(?:[0-9]+(?:ns|us|ms|s|m|h))+|[0-9]{9,11}|[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?)$",
  }),
  labelQuery: documented({ pattern: "^(?:[^=,]+=[^,]*(?:,[^=,]+=[^,]*)*)?$" }),
  client: documented({ enum: CLIENTS.map(({ id }) => id) }),
  secretsProvider: documented({ enum: [...SECRET_PROVIDER_TYPES] }),
} as const;

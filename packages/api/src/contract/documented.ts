/**
 * What the OpenAPI document says more exactly than the schemas that requests are checked with. Those let some values through
 * to the operation, which refuses them in its own words and with its own code; the document must not promise them.
 */
import {
  CLIENTS,
  IMAGE_REFERENCE_PATTERN,
  PROXY_MODES,
  REGISTRY_TRANSPORTS,
  SECRET_PROVIDER_TYPES,
} from "@toolhive/core";

type Constraint = Readonly<Record<string, unknown>>;

/** Put into a schema's options: the document has these keywords in place of the schema's own. */
const documented = (constraint: Constraint) => ({ documented: constraint });

const OCTET = "(?:25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])";
/** A part of a path, which may not be `.` or `..`. */
const PART = "(?!\\.{1,2}(?:[/:]|$))[^\\u0000-\\u001f$&;|`:/]+";
const WORD = "[A-Za-z0-9](?:[A-Za-z0-9._-]{0,61}[A-Za-z0-9])?";
const DNS = "[a-z0-9](?:[a-z0-9-]{0,61}[a-z0-9])?";

export const DOCUMENTED = {
  boolean: documented({ type: "boolean", examples: [true] }),
  seconds: documented({ type: "integer", minimum: 0, maximum: 3600, examples: [30] }),
  logTail: documented({ pattern: "^(?:all|0*[0-9]{1,5}|100000)$", maxLength: 6 }),
  logSince: documented({
    maxLength: 20,
    pattern:
      "^(?:(?:[0-9]+(?:ns|us|ms|s|m|h))+|[0-9]{9,11}|[0-9]{4}-(?:0[1-9]|1[0-2])-(?:0[1-9]|1[0-9]|2[0-8])(?:T(?:[01][0-9]|2[0-3]):[0-5][0-9]:[0-5][0-9]Z)?)$",
  }),
  labelQuery: documented({ pattern: "^[^=,]+=[^,]*(?:,[^=,]+=[^,]*)*$" }),
  workloadName: documented({ minLength: 2, maxLength: 100, pattern: "^[a-zA-Z0-9][a-zA-Z0-9._-]+$" }),
  image: documented({ pattern: `^(?:(?:npx|uvx|go)://\\S+|${IMAGE_REFERENCE_PATTERN})$` }),
  transport: documented({ enum: [...REGISTRY_TRANSPORTS] }),
  proxyMode: documented({ enum: [...PROXY_MODES] }),
  host: documented({ pattern: `^(?:localhost|${OCTET}(?:\\.${OCTET}){3})$` }),
  loopback: documented({ pattern: `^(?:localhost|127(?:\\.${OCTET}){3})$` }),
  variable: documented({ pattern: "^[^=\\u0000-\\u001f\\u007f-\\u009f]+=[^\\u0000]*$" }),
  secretName: documented({ pattern: "^[^,]+$" }),
  secretTarget: documented({ pattern: "^[^=\\s\\u0000-\\u001f\\u007f-\\u009f]+$" }),
  volume: documented({
    pattern: `^(?:/${PART})+:(?!/(?:proc|sys|dev)(?:[/:]|$))(?:/${PART})+(?::(?:(?:ro|rw)(?:,[zZ])?|[zZ]))?$`,
  }),
  labels: documented({
    propertyNames: { pattern: `^(?![Tt][Oo][Oo][Ll][Hh][Ii][Vv][Ee])(?:${DNS}(?:\\.${DNS}){0,2}/)?${WORD}$` },
    additionalProperties: { type: "string", pattern: `^(?:${WORD})?$` },
  }),
  client: documented({ enum: CLIENTS.map(({ id }) => id) }),
  secretsProvider: documented({ enum: [...SECRET_PROVIDER_TYPES] }),
} as const;

/**
 * The test images: what a user would pull from an image registry, under the same names, plus fixtures for faults.
 * All share the layers of `layers.ts`; an image is a configuration on top of them.
 */

export type LayerName = "base" | "servers" | "fixtures" | "filter" | "conformance";

export interface ImageDefinition {
  /** References that both engines know it by. No engine searches the pinned `:test` tag in an image registry. */
  readonly tags: readonly string[];
  /** From the bottom to the top. */
  readonly layers: readonly LayerName[];
  readonly entrypoint: readonly string[];
  readonly cmd?: readonly string[];
  /** User the server runs as. Default root, like the images these stand for. */
  readonly user?: string;
  readonly description: string;
}

const serverScript = (name: string) => `/app/node_modules/@modelcontextprotocol/server-${name}/dist/index.js`;

function defineRealServer(image: string, packageName: string, description: string, cmd: readonly string[] = []) {
  return {
    tags: [`mcp/${image}:latest`, `mcp/${image}:test`],
    layers: ["base", "servers"],
    entrypoint: ["node", serverScript(packageName)],
    cmd,
    description,
  } as const satisfies ImageDefinition;
}

export const IMAGES: readonly ImageDefinition[] = [
  defineRealServer("everything", "everything", "Exercises every feature of the protocol"),
  defineRealServer("filesystem", "filesystem", "Reads and writes files below /projects", ["/projects"]),
  defineRealServer("memory", "memory", "A knowledge graph that outlives the conversation"),
  defineRealServer("sequentialthinking", "sequential-thinking", "Thinking in steps that can be revised"),
  ...["node", "4242", "nobody-knows"].map((user) => ({
    ...defineRealServer("filesystem", "filesystem", "Reads and writes files below /projects", ["/projects"]),
    tags: [`toolhive-test/filesystem-as-${user}:test`],
    user,
    description: `The filesystem server in an image whose user is ${user}`,
  })),
  {
    tags: ["toolhive-test/echo:test"],
    layers: ["base", "fixtures"],
    entrypoint: ["node", "/app/echo-server.mjs"],
    user: "node",
    description: "A tiny server with the tools echo, sleep and crash",
  },
  {
    tags: ["toolhive-test/sidecar-base:test"],
    layers: ["base", "filter"],
    entrypoint: ["node"],
    description: "What the image of network sidecars is built on: Node.js and the packet filter",
  },
  {
    tags: ["toolhive-test/conformance:test"],
    layers: ["base", "conformance"],
    entrypoint: ["node", "/app/conformance.mjs"],
    cmd: ["session", "stdio"],
    user: "node",
    description: "What the official conformance suite expects of a server: of any revision, on any transport",
  },
  {
    tags: ["toolhive-test/exits:test"],
    layers: ["base", "fixtures"],
    entrypoint: ["node", "/app/exits.mjs"],
    user: "node",
    description: "Writes a reason to stderr and ends with code 3",
  },
];

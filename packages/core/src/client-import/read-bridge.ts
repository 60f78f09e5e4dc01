/** Programs that speak to a remote server for a client that cannot, with their options: the remote server is what is imported. */
import type { Program } from "./imported-entry.ts";

interface Bridge {
  /** Options whose value is a header, `Name: value`; with `isPair` the name and the value are two arguments. */
  readonly headers: readonly string[];
  readonly isPair?: true;
  /** Options whose value is the address, each with whether it speaks HTTP with SSE. */
  readonly addresses?: Readonly<Record<string, boolean>>;
  /** Options with a value that say how the server is spoken to. */
  readonly transports?: readonly string[];
  /** Options whose value is a tool that is switched off. */
  readonly offTools?: readonly string[];
  /** Options whose value is a bearer token. */
  readonly tokens?: readonly string[];
  /** Options without a value. */
  readonly switches: readonly string[];
}

/** By package, without its version. */
const BRIDGES: Readonly<Record<string, Bridge>> = {
  // github.com/geelen/mcp-remote
  "mcp-remote": {
    headers: ["--header"],
    transports: ["--transport"],
    offTools: ["--ignore-tool"],
    switches: ["--allow-http", "--debug", "--silent", "--enable-proxy"],
  },
  // github.com/sparfenyuk/mcp-proxy
  "mcp-proxy": {
    headers: ["-H", "--headers"],
    isPair: true,
    transports: ["--transport"],
    switches: ["--debug", "--pass-environment", "--no-verify-ssl"],
  },
  // github.com/supercorp-ai/supergateway
  supergateway: {
    headers: ["--header"],
    addresses: { "--sse": true, "--streamableHttp": false },
    tokens: ["--oauth2Bearer"],
    switches: ["--cors", "--stateful"],
  },
};

/** @returns `undefined` for a package that is no bridge. */
export function readBridge(name: string, args: readonly string[]): Program | undefined {
  const bare = name.replace(/^@geelen\//, "").replace(/(.)@.*$/s, "$1");
  const bridge = Object.hasOwn(BRIDGES, bare) ? BRIDGES[bare] : undefined;
  return bridge && readOptions(bare, bridge, args);
}

function readOptions(name: string, bridge: Bridge, args: readonly string[]): Program {
  const headers: Record<string, string> = {};
  const offTools: string[] = [];
  const ignored: string[] = [];
  let address = "";
  let isSse = false;
  for (let at = 0; at < args.length; at++) {
    const [, option = args[at] ?? "", joined] = /^(--[^=]+)=(.*)$/s.exec(args[at] ?? "") ?? [];
    const takeValue = () => joined ?? args[++at] ?? "";
    if (bridge.headers.includes(option)) {
      const first = takeValue();
      const [, header = first, value = ""] = bridge.isPair ? [] : (/^([^:]+):\s*(.*)$/s.exec(first) ?? []);
      if (header !== "") headers[header] = bridge.isPair ? (args[++at] ?? "") : value;
    } else if (bridge.addresses && Object.hasOwn(bridge.addresses, option)) {
      address = takeValue();
      isSse = bridge.addresses[option] ?? false;
    } else if (bridge.transports?.includes(option)) isSse = takeValue().startsWith("sse");
    else if (bridge.offTools?.includes(option)) offTools.push(takeValue());
    else if (bridge.tokens?.includes(option)) headers.Authorization = `Bearer ${takeValue()}`;
    else if (bridge.switches.includes(option)) ignored.push(option);
    else if (option.startsWith("-")) {
      ignored.push(option);
      takeValue();
    } else if (address === "") address = option;
    // A number behind the address is the port of the bridge's own sign-in.
  }
  // Of a local server, the other way round.
  if (address === "") return { kind: "none", reason: `it is started by ${name}, which is given no address` };
  const notes = ignored.length > 0 ? [`the options ${ignored.join(", ")} of ${name} have no counterpart here`] : [];
  return { kind: "remote", address, headers, isSse, offTools, notes };
}

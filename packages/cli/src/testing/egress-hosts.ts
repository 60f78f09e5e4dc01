/**
 * The hosts of egress tests, under made-up names, in a container that has no network of the engine. A pair of
 * virtual interfaces connects it with the engine's machine, as a cable would a neighbour. The same services run on the
 * machine itself, at its addresses on two networks of the engine: what they answer is a service of the host.
 */
import { randomBytes, randomInt } from "node:crypto";
import { runCommand, type TestEngine, waitFor } from "@toolhive/testing";

/** The same ports outside and on the machine, below those that systems give out by themselves. */
interface Ports {
  readonly httpPort: number;
  readonly otherPort: number;
  readonly tcpPort: number;
  readonly udpPort: number;
}

export interface EgressHosts extends AsyncDisposable, Ports {
  /** Where the made-up hosts are. */
  readonly address: string;
  /** This machine on the servers' own network. */
  readonly hostAddress: string;
  /** This machine on another network of the engine. */
  readonly otherHostAddress: string;
  /** A container on the servers' own network. */
  readonly sibling: { readonly address: string };
  /** A container on another network of the engine. */
  readonly cousin: { readonly address: string };
}

const IMAGE = "mcp/everything:test";
/** Port of the containers' servers. */
export const SIBLING_PORT = 8080;
const SIBLING_SCRIPT = `require("http").createServer((q,r)=>r.end("sibling")).listen(${SIBLING_PORT},"0.0.0.0")`;

/** The services, on each of the addresses. */
const SERVICES = `
const [ports, addresses] = JSON.parse(process.argv[1]);
const answer = ({ headers, url }, response) => {
  const [host, port] = (headers.host ?? "").split(":");
  if (url === "/redirect") response.writeHead(302, { Location: "http://other.test:" + port + "/" }).end();
  else response.end("http " + host);
};
for (const address of addresses) {
  for (const port of [ports.httpPort, ports.otherPort]) require("http").createServer(answer).listen(port, address);
  require("net").createServer((socket) => socket.on("error", () => 0).write("raw")).listen(ports.tcpPort, address);
  const udp = require("dgram").createSocket("udp4");
  udp.on("message", (_, from) => udp.send("udp", from.port, from.address)).bind(ports.udpPort, address);
}
console.log("listening");
`;

type Must = (args: readonly string[]) => Promise<string>;

export async function openEgressHosts(engine: TestEngine): Promise<EgressHosts> {
  const run = randomBytes(3).toString("hex");
  const close: (() => Promise<unknown>)[] = [];
  const must: Must = async (args) => {
    const { code, stdout, stderr } = await engine.cli(args);
    if (code !== 0) throw new Error(`${args.join(" ")}: ${stderr}`);
    return stdout.trim();
  };
  const start = async (name: string, network: string, ...script: readonly string[]) => {
    const node = ["--entrypoint", "node", IMAGE, "-e", ...script];
    await must(["run", "--detach", "--name", name, "--network", network, ...node]);
    close.push(() => engine.cli(["rm", "--force", name]));
  };
  const end = async () => {
    for (const each of close.reverse()) await each();
  };
  try {
    const network = `outside-${run}`;
    await must(["network", "create", network]);
    close.push(() => engine.cli(["network", "rm", network]));
    const own = engine.kind === "docker" ? "bridge" : "podman";
    // An engine gives this machine its address on a network with the first container there.
    await start(`cousin-${run}`, network, SIBLING_SCRIPT);
    await start(`sibling-${run}`, own, SIBLING_SCRIPT);
    const [cousin, sibling] = [
      await inspectNetwork(`cousin-${run}`, must),
      await inspectNetwork(`sibling-${run}`, must),
    ];
    const first = randomInt(10_000, 30_000);
    const ports = { httpPort: first, otherPort: first + 1, tcpPort: first + 2, udpPort: first + 3 };
    const onHost = [sibling.gateway, cousin.gateway];
    await start(`outside-${run}`, "none", SERVICES, JSON.stringify([ports, ["0.0.0.0"]]));
    await start(`host-${run}`, "host", SERVICES, JSON.stringify([ports, onHost]));
    for (const name of [`outside-${run}`, `host-${run}`]) {
      const isListening = async () => (await must(["logs", name])).includes("listening");
      await waitFor(isListening, { what: `the services of ${name}` });
    }
    const address = await connectByCable(run, [
      await readPid(`host-${run}`, must),
      await readPid(`outside-${run}`, must),
    ]);
    return {
      ...ports,
      address,
      hostAddress: sibling.gateway,
      otherHostAddress: cousin.gateway,
      sibling,
      cousin,
      [Symbol.asyncDispose]: end,
    };
  } catch (error) {
    await end();
    throw error;
  }
}

/**
 * The cable is gone with the container at its end.
 *
 * @param ends A process in the network of the engine's machine, and one in that of the outside.
 * @returns The address at the outside, in the range for tests between networks (RFC 2544).
 */
async function connectByCable(run: string, [machine, outside]: readonly [number, number]): Promise<string> {
  const network = `198.18.${randomInt(256)}`;
  const at = (pid: number) => async (command: string) => {
    const args = ["--target", `${pid}`, "--net", "ip", ...command.split(" ")];
    const { code, stderr } = await runCommand("nsenter", args);
    if (code !== 0) throw new Error(`ip ${command}: ${stderr}`);
  };
  const [onMachine, onOutside] = [at(machine), at(outside)];
  const cable = `thvo${run}`;
  await onMachine(`link add ${cable} type veth peer name eth0 netns ${outside}`);
  await onMachine(`address add ${network}.1/24 dev ${cable}`);
  await onMachine(`link set ${cable} up`);
  await onOutside(`address add ${network}.2/24 dev eth0`);
  await onOutside("link set eth0 up");
  await onOutside(`route add default via ${network}.1`);
  return `${network}.2`;
}

/** A container on a network of its own, which the engine makes now. */
export async function openLateContainer(engine: TestEngine): Promise<{ readonly address: string } & AsyncDisposable> {
  const name = `late-${randomBytes(3).toString("hex")}`;
  const remove = async () => {
    await engine.cli(["rm", "--force", name]);
    await engine.cli(["network", "rm", name]);
  };
  try {
    await engine.cli(["network", "create", name]);
    const node = ["--entrypoint", "node", IMAGE, "-e", SIBLING_SCRIPT];
    await engine.cli(["run", "--detach", "--name", name, "--network", name, ...node]);
    const { address } = await inspectNetwork(name, async (args) => (await engine.cli(args)).stdout);
    return { address, [Symbol.asyncDispose]: remove };
  } catch (error) {
    await remove();
    throw error;
  }
}

async function readPid(container: string, must: Must): Promise<number> {
  return Number(await must(["inspect", "--format", "{{.State.Pid}}", container]));
}

async function inspectNetwork(container: string, must: Must) {
  const [inspected] = JSON.parse(await must(["inspect", container])) as {
    NetworkSettings: {
      Networks?: Record<string, { Gateway: string; IPAddress: string }>;
      Gateway: string;
      IPAddress: string;
    };
  }[];
  const { Networks, ...plain } = inspected?.NetworkSettings ?? { Gateway: "", IPAddress: "" };
  const network = Object.values(Networks ?? {}).find(({ IPAddress }) => IPAddress !== "") ?? plain;
  if (network.IPAddress === "") throw new Error(`${container} has no network`);
  return { gateway: network.Gateway, address: network.IPAddress };
}

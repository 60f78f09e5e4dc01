/**
 * The name server of an isolated server: addresses of allowed names, and nothing else. Other types have no answer and names
 * that are not allowed are never asked for, so that no question carries anything out.
 */
import { createSocket, type Socket as DatagramSocket } from "node:dgram";
import { lookup } from "node:dns/promises";
import { createServer, type Server } from "node:net";
import { LOOKED_UP } from "@toolhive/core/sidecar-rules";
import type { DenialLog } from "../policy/denial-log.ts";
import type { EgressPolicy } from "../policy/egress-policy.ts";
import { formatAnswer, parseQuestion, RCODE, TYPE_A } from "./dns-message.ts";
import type { SearchExpansions } from "./search-expansions.ts";

const TTL_SECONDS = 30;
/** As many as fit into an answer of 512 bytes beside the longest name. */
const MAX_ADDRESSES = 12;
const TCP_IDLE_MS = 5_000;

interface DnsOptions {
  readonly policy: EgressPolicy;
  readonly denials: DenialLog;
  readonly expansions: SearchExpansions;
}

/** @returns `undefined` for what is not a question. */
export async function answerQuestion(
  message: Buffer,
  { policy, denials, expansions }: DnsOptions,
): Promise<Buffer | undefined> {
  const question = parseQuestion(message);
  if (!question) return undefined;
  const ttlSeconds = TTL_SECONDS;
  if (!policy.allowsName(question.name)) {
    if (!expansions.isExpansion(question.name)) denials.add(question.name, undefined, LOOKED_UP);
    return formatAnswer(question, { code: RCODE.noSuchName, ttlSeconds });
  }
  if (question.type !== TYPE_A) return formatAnswer(question, { code: RCODE.ok, ttlSeconds });
  try {
    const found = await lookup(question.name, { all: true, family: 4 });
    const addresses = found.map(({ address }) => address).filter((address) => policy.allowsAddress(address));
    if (addresses.length === 0)
      denials.add(found[0]?.address ?? question.name, undefined, `the address of ${question.name}`);
    return formatAnswer(question, { code: RCODE.ok, addresses: addresses.slice(0, MAX_ADDRESSES), ttlSeconds });
  } catch (error) {
    const isUnknown = error instanceof Error && "code" in error && error.code === "ENOTFOUND";
    return formatAnswer(question, { code: isUnknown ? RCODE.noSuchName : RCODE.serverFailure, ttlSeconds });
  }
}

export function createDnsSocket(options: DnsOptions): DatagramSocket {
  const socket = createSocket("udp4");
  socket.on("message", async (message, { address, port }) => {
    const answer = await answerQuestion(message, options);
    if (answer) socket.send(answer, port, address);
  });
  return socket;
}

/** The same over TCP, each message behind its length (RFC 1035 4.2.2). */
export function createDnsServer(options: DnsOptions): Server {
  return createServer(async (socket) => {
    socket.on("error", () => socket.destroy());
    socket.setTimeout(TCP_IDLE_MS, () => socket.destroy());
    let bytes = Buffer.alloc(0);
    for await (const chunk of socket) {
      bytes = Buffer.concat([bytes, chunk as Buffer]);
      while (bytes.length >= 2 && bytes.length >= 2 + bytes.readUInt16BE(0)) {
        const end = 2 + bytes.readUInt16BE(0);
        const answer = await answerQuestion(bytes.subarray(2, end), options);
        bytes = bytes.subarray(end);
        if (!answer || socket.destroyed) continue;
        const length = Buffer.alloc(2);
        length.writeUInt16BE(answer.length);
        socket.write(Buffer.concat([length, answer]));
      }
    }
  });
}

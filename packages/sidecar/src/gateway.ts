/** The default gateway out of `/proc/net/route`: its addresses are hexadecimal, in the processor's byte order. */
export function findGateway(table: string): string | undefined {
  for (const line of table.split("\n").slice(1)) {
    const [, destination, gateway = ""] = line.split("\t");
    if (destination !== "00000000" || gateway === "00000000") continue;
    return (gateway.match(/../g) ?? [])
      .reverse()
      .map((byte) => Number.parseInt(byte, 16))
      .join(".");
  }
  return undefined;
}

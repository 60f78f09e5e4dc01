/** What `/proc/net/route` says about the networks of this container. Its addresses are hexadecimal, in the processor's byte order. */

/** The default gateway. */
export function findGateway(table: string): string | undefined {
  for (const { destination, gateway } of parseRoutes(table)) {
    if (destination === "0.0.0.0" && gateway !== "0.0.0.0") return gateway;
  }
  return undefined;
}

/** Networks that it is connected to itself, `address/prefix`: they contain its siblings and the machine's address. */
export function findLinks(table: string): string[] {
  return parseRoutes(table).flatMap(({ destination, gateway, mask }) =>
    destination === "0.0.0.0" || gateway !== "0.0.0.0" ? [] : [`${destination}/${parsePrefix(mask)}`],
  );
}

function parseRoutes(table: string) {
  const lines = table
    .split("\n")
    .slice(1)
    .map((line) => line.split("\t"));
  return lines.flatMap(([, destination, gateway, , , , , mask]) =>
    destination === undefined || gateway === undefined
      ? []
      : [
          {
            destination: parseAddress(destination),
            gateway: parseAddress(gateway),
            mask: parseAddress(mask ?? "FFFFFFFF"),
          },
        ],
  );
}

function parsePrefix(mask: string): number {
  const bits = mask.split(".").map((part) => Number(part).toString(2).padStart(8, "0"));
  return bits.join("").replace(/0+$/, "").length;
}

function parseAddress(hex: string): string {
  return (hex.trim().match(/../g) ?? [])
    .reverse()
    .map((byte) => Number.parseInt(byte, 16))
    .join(".");
}

import { expect, test } from "vitest";
import type { ClusterClient } from "../cluster/index.ts";
import { joinNetworks, listOpenNetworks, readClusterFacts } from "./cluster-facts.ts";

const ignore = () => undefined;

test("an operator that may not ask for the cluster's networks knows the API server's address alone", async () => {
  const refuse = async (): Promise<never> => {
    throw new Error("nodes is forbidden");
  };
  const client = {
    send: refuse,
    async *list() {
      yield await refuse();
    },
  } as unknown as ClusterClient;

  const facts = await readClusterFacts({
    client,
    env: { KUBERNETES_SERVICE_HOST: "10.96.0.1" },
    log: { error: ignore, warn: ignore, info: ignore, debug: ignore },
    signal: new AbortController().signal,
  });

  expect(facts.networks).toEqual(["10.96.0.1/32"]);
  const open = ["addresses of API servers", "networks of Services", "networks of pods and addresses of nodes"];
  expect(listOpenNetworks(facts, [])).toEqual(open);
  expect(listOpenNetworks(facts, ["10.96.0.0/12"])).toEqual([]);
  expect(listOpenNetworks({ unknown: ["issuer of tokens"] }, [])).toEqual([]);
});

test("leaves out what lies within another network, and what is not IPv4", () => {
  const found = ["10.96.0.0/12", "10.96.0.1", "10.244.1.0/24", "10.244.1.0/24", "fd00::/64", "192.0.2.7", "nonsense/8"];

  expect(joinNetworks(found)).toEqual(["10.244.1.0/24", "10.96.0.0/12", "192.0.2.7/32"]);
});

test("joins the networks of 5,000 nodes to those that they are cut from", () => {
  const nodes = Array.from({ length: 5_000 }, (_, index) => `10.${64 + (index >> 8)}.${index % 256}.0/24`);

  expect(joinNetworks([...nodes, "10.128.0.0/20"])).toEqual(
    [...Array.from({ length: 20 }, (_, index) => `10.${64 + index}.0.0/16`), "10.128.0.0/16"].sort(),
  );
});

test("names every address where there are more networks than can be named", () => {
  const scattered = Array.from({ length: 200 }, (_, index) => `${index + 1}.0.0.0/8`);

  expect(joinNetworks(scattered)).toEqual(["0.0.0.0/1", "128.0.0.0/1"]);
});

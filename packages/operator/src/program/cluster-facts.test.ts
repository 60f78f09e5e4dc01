import { expect, test } from "vitest";
import { joinNetworks } from "./cluster-facts.ts";

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

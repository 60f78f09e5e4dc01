/** The file that the chart installs is made from the schema. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findRepositoryRoot } from "@toolhive/testing";
import { expect, test } from "vitest";
import { printCrd } from "./crd.ts";

test("the chart's definition is the one of the schema; scripts/write-manifests.mjs writes it", async () => {
  const file = join(findRepositoryRoot(), "deploy/charts/toolhive-operator-crds/files/mcpservers.yaml");

  expect(await readFile(file, "utf8")).toBe(printCrd());
});

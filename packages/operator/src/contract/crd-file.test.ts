/** The file that the chart installs is made from the schema. */
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { findRepositoryRoot } from "@toolhive/testing";
import { expect, test } from "vitest";
import { createCrds, printCrd } from "./crd.ts";

test.each(Object.entries(createCrds()))(
  "the chart's definition of %s is the one of the schema; scripts/write-manifests.mjs writes it",
  async (plural, definition) => {
    const file = join(findRepositoryRoot(), `deploy/charts/toolhive-operator-crds/files/${plural}.yaml`);

    expect(await readFile(file, "utf8")).toBe(printCrd(definition));
  },
);

test.each(Object.entries(createCrds()))(
  "%s has no scale subresource, which a HorizontalPodAutoscaler would need",
  (_plural, definition) => {
    const { versions } = definition.spec as { readonly versions: readonly { readonly subresources?: object }[] };

    expect(versions.length).toBeGreaterThan(0);
    for (const { subresources } of versions) expect(Object.keys(subresources ?? {})).not.toContain("scale");
  },
);

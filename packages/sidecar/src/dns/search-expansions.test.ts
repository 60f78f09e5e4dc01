import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { readSearchDomains, SearchExpansions } from "./search-expansions.ts";

const DOMAINS = ["tools.svc.cluster.local", "svc.cluster.local", "cluster.local"];

/** What a resolver with these domains asks for, in its order. */
const series = (name: string) => [...DOMAINS.map((domain) => `${name}.${domain}`), name];

function listWishes(questions: readonly string[]): string[] {
  const expansions = new SearchExpansions(DOMAINS);
  return questions.filter((question) => !expansions.isExpansion(question));
}

test.each(["api.example.com", "db.data.svc.cluster.local", "db.tools.svc.cluster.local", "API.example.com"])(
  "of all questions for %s only the last one counts as the server's",
  (name) => expect(listWishes(series(name))).toEqual([name]),
);

test("the questions for two names may be mixed", () => {
  const [one, two] = [series("a.test"), series("b.test")];

  expect(listWishes(one.flatMap((question, index) => [question, two[index] ?? ""]))).toEqual(["a.test", "b.test"]);
});

test("a name below a later domain counts as the server's where no series began with it", () => {
  expect(listWishes(["db.data.svc.cluster.local"])).toEqual(["db.data.svc.cluster.local"]);
});

test("10,000 names are not remembered", () => {
  const expansions = new SearchExpansions(DOMAINS);
  for (let count = 0; count < 10_000; count += 1) expansions.isExpansion(`n${count}.${DOMAINS[0]}`);

  expect(expansions.isExpansion("n0.svc.cluster.local")).toBe(false);
  expect(expansions.isExpansion("n9999.svc.cluster.local")).toBe(true);
});

test("domains come from the last line that names them", () => {
  const folder = mkdtempSync(join(tmpdir(), "resolv-"));
  try {
    const file = join(folder, "resolv.conf");
    writeFileSync(
      file,
      "search old.test\nnameserver 10.0.0.10\nsearch Tools.svc.cluster.local.  svc.cluster.local\noptions ndots:5\n",
    );
    expect(readSearchDomains(file)).toEqual(["tools.svc.cluster.local", "svc.cluster.local"]);
    expect(readSearchDomains(join(folder, "none"))).toEqual([]);
  } finally {
    rmSync(folder, { recursive: true });
  }
});

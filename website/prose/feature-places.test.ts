/** Each feature is named where a reader without its name expects it, and everything in the program belongs to a feature. */
import { MESSAGES } from "@toolhive/app/messages";
import { COMMANDS, isShown } from "@toolhive/cli/commands";
import { describe, expect, test } from "vitest";
import { FEATURES, findPageSource, hasSection, namesFeature } from "./feature-places.ts";
import { listWrittenPages } from "./pages.ts";

const INTRODUCTION = "/toolhive/";
const SECTIONS = ["/toolhive/guides-cli/", "/toolhive/guides-ui/", "/toolhive/guides-k8s/"];

describe.each(FEATURES)("$name", (feature) => {
  test.each([feature.home, ...(feature.elsewhere ?? [])].filter((route) => !route.includes("/reference/")))(
    "has its section at %s",
    (route) => {
      const source = findPageSource(route);

      expect(source, "the page does not exist").toBeDefined();
      expect(hasSection(source ?? "", route), "the page has no such section").toBe(true);
    },
  );

  test.each(feature.places)("is named, with a link, on %s", (route) => {
    const source = findPageSource(route);

    expect(source, "the page does not exist").toBeDefined();
    expect(namesFeature(source ?? "", route, feature), `a word of: ${feature.words.join(", ")}`).toBe(true);
  });

  test("is on the introduction and on the landing page of its guides", () => {
    const landing = SECTIONS.find((section) => feature.home.startsWith(section));

    expect(feature.places).toEqual(expect.arrayContaining([INTRODUCTION, landing]));
  });
});

test("every command belongs to a feature", () => {
  const covered = FEATURES.flatMap(({ commands }) => commands);
  const homeless = COMMANDS.filter(isShown)
    .map(({ path }) => path.join(" "))
    .filter((name) => !covered.some((command) => name === command || name.startsWith(`${command} `)))
    // A word that only holds other commands, such as `thv config`.
    .filter((name) => !covered.some((command) => command.startsWith(`${name} `)));

  expect(homeless).toEqual([]);
});

test("a feature names no command that does not exist", () => {
  const names = COMMANDS.filter(isShown).map(({ path }) => path.join(" "));
  const unknown = FEATURES.flatMap(({ commands }) => commands).filter(
    (command) => !names.some((name) => name === command || name.startsWith(`${command} `)),
  );

  expect(unknown).toEqual([]);
});

test("every guide explains a feature", () => {
  const explained = FEATURES.flatMap(({ home, elsewhere = [] }) => [home, ...elsewhere]).map(
    (route) => route.split("#")[0],
  );
  const guides = listWrittenPages()
    .filter(({ kind }) => kind === "guide")
    .map(({ file }) => file.replace(/^website\/docs/, "").replace(/\.mdx$/, ""));

  expect(guides.filter((guide) => !explained.includes(guide))).toEqual([]);
});

test("the landing page of the UI guides names every place of the application", () => {
  const source = findPageSource("/toolhive/guides-ui/") ?? "";
  const places = Object.keys(MESSAGES).filter((key) => key.startsWith("place.") && key !== "place.add");

  expect(places.filter((key) => !source.includes(`label="${key}"`))).toEqual([]);
});

describe("a page", () => {
  const feature = { name: "groups", home: "/toolhive/guides-cli/groups", words: ["group"], commands: [], places: [] };

  test.each([
    ["names it with a word and a link in one paragraph", "Use a [group](./guides-cli/groups.mdx).", true],
    ["names it with a link to a section", "One [group](./guides-cli/groups.mdx#create), one URL.", true],
    ["does not name it with the link alone", "Join [servers](./guides-cli/groups.mdx).", false],
    ["does not name it with the word alone", "A group has one URL.", false],
    ["does not name it with both in different blocks", "- A group\n- [Servers](./guides-cli/groups.mdx)", false],
  ])("%s", (_title, source, isNamed) => {
    expect(namesFeature(source, INTRODUCTION, feature)).toBe(isNamed);
  });
});

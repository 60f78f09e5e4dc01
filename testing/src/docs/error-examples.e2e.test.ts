/** Runs the commands behind the pages of the error catalogue. What a failure says does not depend on the engine. */
import { test } from "vitest";
import { describeEngines } from "../index.ts";
import { checkPage, PAGE_TIMEOUT_MS } from "./check-page.ts";
import { ERROR_EXAMPLES } from "./pages.ts";

describeEngines("the commands on $kind", { isOneEnough: true }, (engine) => {
  test.each([ERROR_EXAMPLES])(
    "of %s print what the page shows",
    async (page) => await checkPage(page, engine, process.env.UPDATE_DOCS === "1"),
    PAGE_TIMEOUT_MS,
  );
});

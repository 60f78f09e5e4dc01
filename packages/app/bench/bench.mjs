/** `npm run bench`: the application in a browser, with many real servers. */
import { benchBesideEngines } from "../../../testing/bench-beside-engines.mjs";

await benchBesideEngines(new URL(".", import.meta.url), ["in-use"], ["@playwright/test", "axe-core"]);

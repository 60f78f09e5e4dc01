/** `npm run bench`: each benchmark beside engines, one after the other; a name chooses one of them. */
import { benchBesideEngines } from "../../../testing/bench-beside-engines.mjs";

await benchBesideEngines(new URL(".", import.meta.url), ["first-light", "api-load", "recovery", "sleep", "journeys"]);

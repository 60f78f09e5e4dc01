/** Collects what `src/site-facts.ts` hands to the configuration and the sidebar. */
import { COMMAND_GROUPS, COMMANDS, isShown } from "@toolhive/cli/commands";
import { VERSION_NUMBER } from "@toolhive/cli/facts";
import { BRAND } from "@toolhive/core/brand";
import { ERRORS, type ErrorCode, getErrorPage } from "@toolhive/core/errors";
import { CONSTANTS } from "../src/constants.ts";
import type { SiteFacts } from "../src/site-facts.ts";
import { API_PLACES, pathOfPlace } from "./api-places.ts";
import { CRD_PAGES } from "./crd-pages.ts";

export function collectSiteFacts(): SiteFacts {
  return {
    version: VERSION_NUMBER,
    constants: CONSTANTS,
    commandPaths: [...COMMANDS.filter(isShown), ...COMMAND_GROUPS]
      .map(({ path }) => path)
      .sort((left, right) => (left.join(" ") < right.join(" ") ? -1 : 1)),
    apiPages: API_PLACES.map((place) => `${BRAND.docsSegment}/reference/${pathOfPlace(place)}`),
    resourcePages: CRD_PAGES.map((page) => `${BRAND.docsSegment}/reference/${page}`),
    errorPages: (Object.keys(ERRORS) as ErrorCode[]).sort().map((code) => getErrorPage(code).slice(1)),
  };
}

/** The configuration of this site; Docusaurus accepts nothing but a default export here. */
import { BRAND } from "../packages/core/src/support/brand.ts";
import { createSiteConfig } from "./site-config.ts";

export default createSiteConfig({
  analytics: BRAND.analytics,
  source: BRAND.links.source,
  hasColourSwitch: true,
});

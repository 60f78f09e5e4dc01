/** The configuration of this site; Docusaurus accepts nothing but a default export here. */
import { BRAND } from "@toolhive/core/brand";
import { createSiteConfig } from "./site-config.ts";

export default createSiteConfig({
  analytics: BRAND.analytics,
  source: BRAND.links.source,
  hasColourSwitch: true,
});

/**
 * Shows a new announcement on the first visit after its id changed. The theme's inline script checks only whether an announcement
 * was dismissed, so that a new one would stay hidden until the load after.
 */
import type { Plugin } from "@docusaurus/types";
import { announcement } from "../../src/announcement.ts";

/** Keys and attribute of the theme (site behaviour, announcement bar). */
const ID_KEY = "docusaurus.announcement.id";
const ATTRIBUTE = "data-announcement-bar-initially-dismissed";

export default function announcementCheck(): Plugin {
  return {
    name: "toolhive-announcement-check",
    injectHtmlTags() {
      if (announcement === undefined) return {};
      // Stands after the theme's script, which sets the attribute; storage may be blocked.
      const script = `try{localStorage.getItem(${JSON.stringify(ID_KEY)})!==${JSON.stringify(announcement.id)}&&document.documentElement.setAttribute(${JSON.stringify(ATTRIBUTE)},"false")}catch(e){}`;
      return { preBodyTags: [{ tagName: "script", innerHTML: script }] };
    },
  };
}

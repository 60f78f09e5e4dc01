/**
 * The keys that open the search dialog, and the keys that a reader presses before it is loaded. Every page runs
 * `collectSearchKeys` before its bundles (`plugins/head-tags` puts its text into the head), so that it may use nothing from
 * outside itself.
 */

export interface SearchKeys {
  /** The reader has asked for the dialog, which is not there yet: what is typed is kept. */
  isAsked: boolean;
  /** What was typed meanwhile. */
  typed: string;
  /** Called when the reader asks; missing until the search button's own code has run. */
  onAsk?: () => void;
}

declare global {
  interface Window {
    searchKeys: SearchKeys;
  }
}

export function collectSearchKeys(): void {
  const keys: SearchKeys = { isAsked: false, typed: "" };
  window.searchKeys = keys;
  // As many characters as the dialog's input takes.
  const MAX_TYPED = 64;
  const isIn = (target: EventTarget | null, selector: string) =>
    target instanceof Element && target.closest(selector) !== null;
  const keep = (text: string) => {
    keys.typed = (keys.typed + text).slice(0, MAX_TYPED);
  };
  const ask = (event: Event, text = "") => {
    event.preventDefault();
    // The same key closes the dialog, and no other listener may use it for that.
    event.stopPropagation();
    keys.isAsked = true;
    keys.typed = text;
    keys.onAsk?.();
  };

  addEventListener(
    "keydown",
    (event) => {
      const { key, target } = event;
      const isShortcut = (event.ctrlKey || event.metaKey) && key.toLowerCase() === "k";
      const isCharacter =
        key.length === 1 && (event.getModifierState("AltGraph") || !(event.ctrlKey || event.metaKey || event.altKey));
      const isInField = isIn(target, "input, textarea, select, [contenteditable]");
      if (!keys.isAsked) {
        if (document.querySelector(".DocSearch-Container") !== null) return;
        if (isShortcut || (key === "/" && isCharacter && !isInField)) ask(event);
        else if (isCharacter && key !== " " && isIn(target, ".DocSearch-Button")) ask(event, key);
      } else if (isShortcut || key === "Escape") {
        keys.isAsked = false;
        event.preventDefault();
      } else if (!isInField && !isIn(target, ".lazy-module")) {
        if (isCharacter) keep(key);
        else if (key === "Backspace") keys.typed = keys.typed.slice(0, -1);
        // All else that would move the page or press what has the focus; the browser's own shortcuts stay.
        else if (key !== "Enter" && !/^(Arrow|Page|Home|End)/.test(key)) return;
        event.preventDefault();
      }
    },
    true,
  );
  addEventListener(
    "click",
    (event) => {
      if (isIn(event.target, ".DocSearch-Button")) ask(event);
    },
    true,
  );
  addEventListener(
    "paste",
    (event) => {
      if (keys.isAsked && !isIn(event.target, "input, textarea, select, [contenteditable]"))
        keep(event.clipboardData?.getData("text/plain") ?? "");
    },
    true,
  );
}

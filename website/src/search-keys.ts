/**
 * What a reader presses before the search dialog is there. Every page runs `collectSearchKeys` before its bundles
 * (`plugins/head-tags` puts its text into the head), so that it may use nothing from outside itself.
 */

export interface SearchKeys {
  /** The reader has asked for the dialog, which is not there yet: what is typed is kept. */
  isAsked: boolean;
  /** What was typed meanwhile. */
  typed: string;
  /** Whether the search button's own code listens for the shortcuts by now. */
  isButtonReady: boolean;
}

declare global {
  interface Window {
    /** Missing only where a test leaves it out. */
    searchKeys?: SearchKeys;
  }
}

export function collectSearchKeys(): void {
  const keys: SearchKeys = { isAsked: false, typed: "", isButtonReady: false };
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
    keys.isAsked = true;
    keys.typed = text;
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
        if (keys.isButtonReady) return;
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
      if (!keys.isButtonReady && isIn(event.target, ".DocSearch-Button")) ask(event);
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

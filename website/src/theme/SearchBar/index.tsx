/**
 * The search button. The stock one brings about 30 kB to every page; this one has the same markup and keys and loads
 * the stock modal when a reader reaches for it. What is pressed until the modal is there waits in `window.searchKeys`.
 */
import { translate } from "@docusaurus/Translate";
import { type LazyModule, LazyModuleView, useLazyModule } from "@site/src/components/lazy-module.tsx";
import { useCallback, useLayoutEffect, useRef, useState } from "react";

type SearchModule = typeof import("./search-dialog.tsx");

/**
 * The styles are asked for by dynamic imports: the package says that it has no side effects, and a bundler drops its
 * stylesheet from a plain import. Ours comes last and wins.
 */
async function loadSearch(): Promise<SearchModule> {
  const [module] = await Promise.all([import("./search-dialog.tsx"), import("@docsearch/react/style")]);
  await import("./search-dialog.css");
  return module;
}

export default function SearchBar() {
  const [isOpen, setIsOpen] = useState(false);
  const button = useRef<HTMLButtonElement>(null);
  const search: LazyModule<SearchModule> = useLazyModule(loadSearch);
  const { start } = search;

  const open = useCallback(
    (typed = "") => {
      start();
      if (window.searchKeys) Object.assign(window.searchKeys, { isAsked: true, typed });
      setIsOpen(true);
    },
    [start],
  );
  const close = useCallback(() => {
    if (window.searchKeys) window.searchKeys.isAsked = false;
    setIsOpen(false);
    button.current?.focus();
  }, []);

  // What was pressed before this code ran, on this page or while it took the place of another one.
  useLayoutEffect(() => {
    const keys = window.searchKeys;
    if (keys === undefined) return;
    keys.isButtonReady = true;
    if (keys.isAsked) open(keys.typed);
    return () => {
      keys.isButtonReady = false;
    };
  }, [open]);

  // Together with the page, not after it: a key that is pressed as soon as the next page is there counts.
  useLayoutEffect(() => {
    const onKeyDown = (event: KeyboardEvent) => {
      const isToggle = (event.metaKey || event.ctrlKey) && event.key?.toLowerCase() === "k";
      const isSlash =
        event.key === "/" && !event.metaKey && !event.ctrlKey && !event.altKey && !isEditing(event.target);
      const isLetterOnButton =
        document.activeElement === button.current &&
        !event.metaKey &&
        !event.ctrlKey &&
        !event.altKey &&
        /^[\p{L}\p{N}]$/u.test(event.key ?? "");
      if (isOpen) {
        if (event.key !== "Escape" && !isToggle) return;
        event.preventDefault();
        close();
      } else if (isToggle || isSlash) {
        event.preventDefault();
        open();
      } else if (isLetterOnButton) {
        event.preventDefault();
        open(event.key);
      }
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [isOpen, open, close]);

  const label = translate({
    id: "theme.SearchBar.label",
    message: "Search",
    description: "The label of the search button",
  });
  return (
    <>
      <button
        ref={button}
        type="button"
        className="DocSearch DocSearch-Button"
        aria-label={`${label} (Ctrl+K)`}
        aria-haspopup="dialog"
        onClick={() => open()}
        onMouseOver={start}
        onFocus={start}
        onTouchStart={start}
      >
        <span className="DocSearch-Button-Container">
          <svg className="DocSearch-Search-Icon" width="18" height="18" viewBox="0 0 20 20" aria-hidden="true">
            <circle cx="8.5" cy="8.5" r="5.750" fill="none" stroke="currentColor" strokeWidth="1.7" />
            <path d="m13 13 4.5 4.5" stroke="currentColor" strokeWidth="1.7" strokeLinecap="round" />
          </svg>
          <span className="DocSearch-Button-Placeholder">{label}</span>
        </span>
        <span className="DocSearch-Button-Keys" aria-hidden="true">
          <kbd className="DocSearch-Button-Key">/</kbd>
        </span>
      </button>
      {isOpen && (
        <LazyModuleView module={search} what="The search" onDismiss={close}>
          {({ SearchDialog }) => <SearchDialog onClose={close} />}
        </LazyModuleView>
      )}
    </>
  );
}

function isEditing(target: EventTarget | null): boolean {
  if (!(target instanceof HTMLElement)) return false;
  return target.isContentEditable || ["INPUT", "TEXTAREA", "SELECT"].includes(target.tagName);
}

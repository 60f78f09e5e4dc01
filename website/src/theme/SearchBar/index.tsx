/**
 * The search button. The stock one brings about 30 kB to every page; this one has the same markup and keys and loads the stock
 * modal when a reader reaches for it. `window.searchKeys` detects that, and keeps typed text until the modal is open.
 */
import { translate } from "@docusaurus/Translate";
import { type LazyModule, LazyModuleView, useLazyModule } from "@site/src/components/lazy-module.tsx";
import { useCallback, useLayoutEffect, useRef, useState } from "react";

type SearchModule = typeof import("./search-dialog.tsx");

/**
 * Dynamic imports load the styles: the package declares that it has no side effects, and a bundler drops its stylesheet from a
 * plain import. Ours is last and wins.
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

  const close = useCallback(() => {
    window.searchKeys.isAsked = false;
    setIsOpen(false);
    button.current?.focus();
  }, []);

  // Together with the page, not after it: a key that is pressed as soon as the next page is shown counts, and so does one that
  // was pressed before this code ran.
  useLayoutEffect(() => {
    const keys = window.searchKeys;
    keys.onAsk = () => {
      start();
      setIsOpen(true);
    };
    if (keys.isAsked) keys.onAsk();
    return () => {
      delete keys.onAsk;
    };
  }, [start]);

  useLayoutEffect(() => {
    if (!isOpen) return;
    const onKeyDown = (event: KeyboardEvent) => {
      if (event.key !== "Escape" && !((event.metaKey || event.ctrlKey) && event.key?.toLowerCase() === "k")) return;
      event.preventDefault();
      close();
    };
    window.addEventListener("keydown", onKeyDown);
    return () => window.removeEventListener("keydown", onKeyDown);
  }, [isOpen, close]);

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

/** What can be done with a page elsewhere: a button, and its menu, which is loaded when a reader reaches for it. */
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import { useCallback, useRef, useState } from "react";
import { LazyModuleView, useLazyModule } from "./lazy-module.tsx";

type MenuModule = typeof import("./page-menu.tsx");

const loadMenu = (): Promise<MenuModule> => import("./page-menu.tsx");

export function PageActions() {
  const { metadata } = useDoc();
  const twin = `${metadata.permalink.replace(/\/$/, "")}.md`;
  const [isOpen, setIsOpen] = useState(false);
  /** The result of copying, shown for a moment. */
  const [result, setResult] = useState<string | undefined>(undefined);
  const button = useRef<HTMLButtonElement>(null);
  const menu = useLazyModule(loadMenu);

  const close = useCallback((isFocusReturned: boolean) => {
    setIsOpen(false);
    if (isFocusReturned) button.current?.focus();
  }, []);

  return (
    <div className="page-actions" data-search-exclude="">
      <button
        ref={button}
        type="button"
        className="clean-btn page-actions__button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        onClick={() => {
          menu.start();
          setIsOpen(!isOpen);
        }}
        onMouseEnter={menu.start}
        onFocus={menu.start}
      >
        <span aria-live="polite">{result ?? "Copy page"}</span>
      </button>
      {/* Without scripts there is no menu. A file, not a page of the site: an ordinary link, which the browser follows by itself. */}
      <noscript>
        <a className="page-actions__button" href={twin}>
          Markdown
        </a>
      </noscript>
      {isOpen && (
        <LazyModuleView module={menu} what="The menu" onDismiss={() => close(true)}>
          {({ PageMenu }) => <PageMenu button={button} twin={twin} onResult={setResult} onClose={close} />}
        </LazyModuleView>
      )}
    </div>
  );
}

/** What can be done with a page elsewhere: a button, and its menu, which is loaded when a reader reaches for it. */
import { useDoc } from "@docusaurus/plugin-content-docs/client";
import { useCallback, useEffect, useRef, useState } from "react";
import { copyText } from "./copy-text.ts";
import { LazyModuleView, useLazyModule } from "./lazy-module.tsx";

type MenuModule = typeof import("./page-menu.tsx");

const loadMenu = (): Promise<MenuModule> => import("./page-menu.tsx");

/** How long the button says what happened, milliseconds. */
const RESULT_SHOWN_MS = 2000;

const MENU_ID = "page-menu";

export function PageActions() {
  const { metadata } = useDoc();
  const twin = `${metadata.permalink.replace(/\/$/, "")}.md`;
  const [isOpen, setIsOpen] = useState(false);
  const [label, setLabel] = useState("Copy page");
  const button = useRef<HTMLButtonElement>(null);
  const timer = useRef<number | undefined>(undefined);
  useEffect(() => () => window.clearTimeout(timer.current), []);
  const menu = useLazyModule(loadMenu);

  const open = () => {
    menu.start();
    setIsOpen(true);
  };
  const close = useCallback((isFocusReturned: boolean) => {
    setIsOpen(false);
    if (isFocusReturned) button.current?.focus();
  }, []);
  const copy = useCallback(async (text: Promise<string>) => {
    try {
      await copyText(text);
      setLabel("Copied");
    } catch {
      // Offline or no permission: the page itself, or its Markdown file, can still be copied by hand.
      setLabel("Not copied");
    }
    window.clearTimeout(timer.current);
    timer.current = window.setTimeout(() => setLabel("Copy page"), RESULT_SHOWN_MS);
  }, []);

  return (
    <div className="page-actions" data-search-exclude="">
      <button
        ref={button}
        type="button"
        className="clean-btn page-actions__button"
        aria-haspopup="menu"
        aria-expanded={isOpen}
        {...(isOpen && menu.state.kind === "loaded" && { "aria-controls": MENU_ID })}
        onClick={() => (isOpen ? close(false) : open())}
        onKeyDown={(event) => {
          if (event.key !== "ArrowDown" || isOpen) return;
          event.preventDefault();
          open();
        }}
        onMouseEnter={menu.start}
        onFocus={menu.start}
        onTouchStart={menu.start}
      >
        <span aria-live="polite">{label}</span>
      </button>
      {/* Without scripts there is no menu. A file, not a page of the site: an ordinary link, which the browser follows by itself. */}
      <noscript>
        <a className="page-actions__button" href={twin}>
          Markdown
        </a>
      </noscript>
      {isOpen && (
        <LazyModuleView module={menu} what="The menu" onDismiss={() => close(true)}>
          {({ PageMenu }) => <PageMenu id={MENU_ID} button={button} twin={twin} onCopy={copy} onClose={close} />}
        </LazyModuleView>
      )}
    </div>
  );
}

/**
 * Parts of a page that load when they are first used: a spinner after 200 ms (spec §9), the error's text with a Retry button when
 * loading fails (spec §2), and the part itself when it is loaded.
 */
import { type ReactNode, useCallback, useEffect, useRef, useState } from "react";

/** Spec §9: loading spinner delay, milliseconds. */
const SPINNER_DELAY_MS = 200;

type State<M> =
  | { kind: "idle" }
  | { kind: "loading" }
  | { kind: "loaded"; module: M }
  | { kind: "failed"; error: Error };

export interface LazyModule<M> {
  readonly state: State<M>;
  /** Begins loading; does nothing while it loads and once it is loaded. After a failure it tries again. */
  readonly start: () => void;
}

/** @param load Must be stable over renders (a function at the module's top level). */
export function useLazyModule<M>(load: () => Promise<M>): LazyModule<M> {
  const [state, setState] = useState<State<M>>({ kind: "idle" });
  const isBusy = useRef(false);
  const start = useCallback(() => {
    if (isBusy.current) return;
    isBusy.current = true;
    setState({ kind: "loading" });
    load().then(
      (module) => setState({ kind: "loaded", module }),
      (error: unknown) => {
        isBusy.current = false;
        setState({ kind: "failed", error: error instanceof Error ? error : new Error(String(error)) });
      },
    );
  }, [load]);
  return { state, start };
}

export interface LazyModuleViewProps<M> {
  readonly module: LazyModule<M>;
  /** Names the part in messages: "The search could not be loaded." */
  readonly what: string;
  readonly onDismiss?: () => void;
  readonly children: (module: M) => ReactNode;
}

export function LazyModuleView<M>({ module, what, onDismiss, children }: LazyModuleViewProps<M>) {
  const { state, start } = module;
  if (state.kind === "loaded") return children(state.module);
  if (state.kind === "failed") {
    return (
      <div className="lazy-module" role="alert">
        <p>
          {what} could not be loaded: {state.error.message}
        </p>
        <button type="button" className="button button--primary button--sm" onClick={start}>
          Retry
        </button>
        {onDismiss && (
          <button type="button" className="button button--secondary button--sm" onClick={onDismiss}>
            Close
          </button>
        )}
      </div>
    );
  }
  return <Spinner what={what} />;
}

function Spinner({ what }: { readonly what: string }) {
  const [isLate, setIsLate] = useState(false);
  useEffect(() => {
    const timer = window.setTimeout(() => setIsLate(true), SPINNER_DELAY_MS);
    return () => window.clearTimeout(timer);
  }, []);
  if (!isLate) return null;
  return (
    <div className="lazy-module" role="status">
      <span className="lazy-module__spinner" aria-hidden="true" />
      <span>{what} is loading…</span>
    </div>
  );
}

/** Pieces of the API reference that Markdown has no form for. */
import { useHistory, useLocation } from "@docusaurus/router";
import { useEffect, useId, useState } from "react";
import type { ApiParameter } from "./api-request.ts";
import { LazyModuleView, useLazyModule } from "./lazy-module.tsx";
import { findMovedTarget } from "./moved-anchors.ts";

export interface ApiOperationProps {
  readonly method: string;
  readonly path: string;
  readonly parameters?: readonly ApiParameter[];
  /** Example of the body as JSON; absent when the operation takes none. */
  readonly body?: string;
}

const loadConsole = () => import("./api-console.tsx");

/** The line that says what to send where, and opens the console that sends it to the reader's own server. */
export function ApiOperation(props: ApiOperationProps) {
  const { method, path } = props;
  const [isOpen, setIsOpen] = useState(false);
  const id = useId();
  const late = useLazyModule(loadConsole);
  const toggle = () => {
    late.start();
    setIsOpen(!isOpen);
  };
  return (
    <>
      <p className="api-operation">
        <span className={`api-method api-method--${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
        <button
          type="button"
          className="clean-btn try-it__open"
          aria-expanded={isOpen}
          aria-controls={isOpen ? id : undefined}
          aria-label={`${isOpen ? "Close" : "Try it"}: ${method} ${path}`}
          onClick={toggle}
        >
          {isOpen ? "Close" : "Try it"}
        </button>
      </p>
      {isOpen && (
        <div id={id}>
          <LazyModuleView module={late} what="The request console">
            {({ ApiConsole }) => <ApiConsole {...props} />}
          </LazyModuleView>
        </div>
      )}
    </>
  );
}

export interface ApiFactsProps {
  readonly version: string;
  /** Address of the OpenAPI file. */
  readonly specification: string;
}

export function ApiFacts({ version, specification }: ApiFactsProps) {
  return (
    <p className="api-facts">
      <span className="badge-version">{version}</span>
      {/* A file, not a page of the site: an ordinary link, which the browser follows by itself. */}
      <a className="text-link" href={specification} download>
        OpenAPI file (YAML)
      </a>
    </p>
  );
}

/**
 * Leads on from an anchor that the reference had when it was one page: the index has a link at each of them, which readers
 * without scripts follow by themselves.
 */
export function MovedAnchors() {
  const { hash } = useLocation();
  const history = useHistory();
  useEffect(() => {
    const link = findMovedTarget(document, hash);
    if (link !== undefined) history.replace(link);
  }, [hash, history]);
  return null;
}

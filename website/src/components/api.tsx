/** Pieces of the API reference that Markdown has no form for. */

export interface ApiOperationProps {
  readonly method: string;
  readonly path: string;
}

/** The line that says what to send where. */
export function ApiOperation({ method, path }: ApiOperationProps) {
  return (
    <p className="api-operation">
      <span className={`api-method api-method--${method.toLowerCase()}`}>{method}</span> <code>{path}</code>
    </p>
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

/** The address for reporting a search that found nothing, and a link to it. */
import Link from "@docusaurus/Link";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import { useCallback } from "react";
import { type MissingResultsTarget, missingResultsUrl } from "../missing-results.ts";

/** @returns Makes the address from what was searched. */
export function useMissingResultsUrl(): (query: string) => string {
  const { siteConfig } = useDocusaurusContext();
  const { missingResults } = siteConfig.customFields as { missingResults: MissingResultsTarget };
  return useCallback((query) => missingResultsUrl(missingResults, query), [missingResults]);
}

export function MissingResultsLink({ query }: { readonly query: string }) {
  const buildUrl = useMissingResultsUrl();
  return (
    <p>
      Should this have found something?{" "}
      <Link className="text-link" to={buildUrl(query)}>
        Tell us
      </Link>
      .
    </p>
  );
}

/**
 * The stock DocSearch modal with what its configuration cannot express: hosts, visible failures, a named dialog
 * and a link for reporting missing results.
 */
import { DocSearchModal as StockModal } from "@docsearch/react/dist/esm";
import { type ComponentProps, useCallback, useEffect, useMemo } from "react";
import insightsClient from "search-insights";
import {
  isLocalSearch,
  rememberFailedHosts,
  type SearchTransporter,
  sameOriginHosts,
  withVisibleFailure,
} from "./transport.ts";

/** Where readers learn how to report what they did not find. */
const REPORT_PAGE = "/toolhive/faq";
const REPORT_ANCHOR = "report-a-gap";

type ModalProps = ComponentProps<typeof StockModal>;
type TransformClient = NonNullable<ModalProps["transformSearchClient"]>;

export function DocSearchModal(props: ModalProps) {
  const { appId, transformSearchClient } = props;

  const transform = useCallback<TransformClient>(
    (stockClient) => {
      const client = transformSearchClient ? transformSearchClient(stockClient) : stockClient;
      // The declared type shows a part of the transport; these members are there in every client of version 5.
      const transporter = client.transporter as unknown as SearchTransporter;
      if (isLocalSearch(appId))
        transporter.hosts.splice(0, transporter.hosts.length, ...sameOriginHosts(window.location));
      rememberFailedHosts(transporter);
      const stockSearch = client.search.bind(client);
      client.search = ((...args: Parameters<typeof stockSearch>) =>
        withVisibleFailure(Promise.resolve(stockSearch(...args)))) as typeof client.search;
      return client;
    },
    [appId, transformSearchClient],
  );

  // The stock container announces itself as a combobox labelled by its input; it is a dialog. React writes these
  // attributes once and never changes them.
  useEffect(() => {
    const container = document.querySelector(".DocSearch-Container");
    for (const name of ["tabindex", "aria-expanded", "aria-haspopup", "aria-labelledby", "aria-controls"]) {
      container?.removeAttribute(name);
    }
    container?.setAttribute("role", "dialog");
    container?.setAttribute("aria-modal", "true");
    container?.setAttribute("aria-label", "Search the documentation");
    container?.setAttribute("data-provider", isLocalSearch(appId) ? "local" : "hosted");
  }, [appId]);

  // The client comes with this bundle: the stock modal would fetch it from a public CDN.
  const insights = useMemo(() => {
    const insightsInitParams = isLocalSearch(appId) ? { host: window.location.origin } : {};
    // Its declared type wants a tuple; the plugin spreads it as one object.
    return { insightsClient, insightsInitParams } as unknown as NonNullable<ModalProps["insights"]>;
  }, [appId]);

  return (
    <StockModal
      {...props}
      transformSearchClient={transform}
      insights={insights}
      getMissingResultsUrl={({ query }) => `${REPORT_PAGE}?missing=${encodeURIComponent(query)}#${REPORT_ANCHOR}`}
    />
  );
}

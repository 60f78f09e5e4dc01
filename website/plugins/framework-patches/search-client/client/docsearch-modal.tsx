/**
 * The stock DocSearch modal with what its configuration cannot express: hosts, visible failures, a named dialog
 * and a link for reporting missing results.
 */
import { DocSearchModal as StockModal } from "@docsearch/react/dist/esm";
import { useMissingResultsUrl } from "@site/src/components/missing-results-link.tsx";
import { changeSearchInput, readSearchInput } from "@site/src/components/search-input.ts";
import { type ComponentProps, useCallback, useEffect, useMemo } from "react";
import insightsClient from "search-insights";
import {
  isLocalSearch,
  rememberFailedHosts,
  type SearchTransporter,
  sameOriginHosts,
  withVisibleFailure,
} from "./transport.ts";

type ModalProps = ComponentProps<typeof StockModal>;
/**
 * The stock container announces itself as a combobox labelled by its input, and its list of controlled elements names
 * some that are not there. It is a dialog, and it is described as one for as long as it is open.
 *
 * @returns Ends it.
 */
function describeAsDialog(container: HTMLElement): () => void {
  for (const name of ["tabindex", "aria-expanded", "aria-haspopup", "aria-labelledby"]) container.removeAttribute(name);
  container.setAttribute("role", "dialog");
  container.setAttribute("aria-modal", "true");
  container.setAttribute("aria-label", "Search the documentation");
  // Inside a dialog they are no landmarks of the page.
  for (const part of container.querySelectorAll("header, footer")) part.setAttribute("role", "presentation");

  const correct = () => {
    for (const element of [container, ...container.querySelectorAll("[aria-controls]")]) {
      const named = element.getAttribute("aria-controls");
      if (named === null) continue;
      const present =
        element === container
          ? ""
          : named
              .split(" ")
              .filter((id) => document.getElementById(id))
              .join(" ");
      if (present === "") element.removeAttribute("aria-controls");
      else if (present !== named) element.setAttribute("aria-controls", present);
    }
  };
  const observer = new MutationObserver(correct);
  observer.observe(container, { subtree: true, childList: true, attributeFilter: ["aria-controls"] });
  correct();
  return () => observer.disconnect();
}

/**
 * With no result, the stock modal offers groups of the last answer as searches: for this site a page with the sections above it,
 * "CLI guides / Run / Find servers". This leaves the page's name, which is what a reader would search for.
 *
 * @returns Ends it.
 */
function shortenSuggestions(container: HTMLElement): () => void {
  const shortenAll = () => {
    for (const button of container.querySelectorAll(".DocSearch-Prefill")) {
      const name = button.textContent?.split(" / ").at(-1) ?? "";
      if (name !== button.textContent) button.textContent = name;
    }
  };
  const search = (event: MouseEvent) => {
    const button = event.target instanceof Element ? event.target.closest(".DocSearch-Prefill") : null;
    if (button === null) return;
    // The stock button would search for the whole group.
    event.stopPropagation();
    changeSearchInput(() => `${button.textContent?.toLowerCase()} `);
  };
  const observer = new MutationObserver(shortenAll);
  observer.observe(container, { subtree: true, childList: true, characterData: true });
  container.addEventListener("click", search, { capture: true });
  return () => {
    observer.disconnect();
    container.removeEventListener("click", search, { capture: true });
  };
}

type TransformClient = NonNullable<ModalProps["transformSearchClient"]>;

export function DocSearchModal(props: ModalProps) {
  const { appId, getMissingResultsUrl, transformSearchClient } = props;
  const missingResultsUrl = useMissingResultsUrl();

  const transform = useCallback<TransformClient>(
    (stockClient) => {
      const client = transformSearchClient ? transformSearchClient(stockClient) : stockClient;
      // The declared type shows a part of the transport; these members are there in every client of version 5.
      const transporter = client.transporter as unknown as SearchTransporter;
      if (isLocalSearch(appId))
        transporter.hosts.splice(0, transporter.hosts.length, ...sameOriginHosts(window.location));
      rememberFailedHosts(transporter);
      const stockSearch = client.search.bind(client);
      let latest = 0;
      client.search = ((...args: Parameters<typeof stockSearch>) => {
        latest += 1;
        const number = latest;
        // An emptied input asks nothing, and shows recent searches.
        const isAwaited = () => number === latest && readSearchInput() !== "";
        return withVisibleFailure(Promise.resolve(stockSearch(...args)), isAwaited);
      }) as typeof client.search;
      return client;
    },
    [appId, transformSearchClient],
  );

  useEffect(() => {
    const container = document.querySelector<HTMLElement>(".DocSearch-Container");
    if (container === null) return;
    container.setAttribute("data-provider", isLocalSearch(appId) ? "local" : "hosted");
    const endings = [describeAsDialog(container), shortenSuggestions(container)];
    return () => {
      for (const end of endings) end();
    };
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
      getMissingResultsUrl={getMissingResultsUrl ?? (({ query }) => missingResultsUrl(query))}
    />
  );
}

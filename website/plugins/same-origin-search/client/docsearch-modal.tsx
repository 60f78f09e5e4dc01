/**
 * The stock DocSearch modal with what its configuration cannot express: hosts, visible failures, a named dialog
 * and a link for reporting missing results.
 */
import { DocSearchModal as StockModal } from "@docsearch/react/dist/esm";
import { type ComponentProps, useCallback, useEffect } from "react";
import {
  isLocalSearch,
  rememberFailedHosts,
  type SearchTransporter,
  sameOriginHosts,
  withVisibleFailure,
} from "./transport.ts";

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

  // The stock container is announced as a button; the dialog's role, name and modality are set once it is there.
  useEffect(() => {
    const container = document.querySelector(".DocSearch-Container");
    container?.removeAttribute("tabindex");
    container?.setAttribute("role", "dialog");
    container?.setAttribute("aria-modal", "true");
    container?.setAttribute("aria-label", "Search the documentation");
  }, []);

  return <StockModal {...props} transformSearchClient={transform} />;
}

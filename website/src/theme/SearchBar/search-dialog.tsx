/** The stock DocSearch modal with what the theme passes to it: filters of the page's context, links and navigation. */
import { DocSearchModal } from "@docsearch/react/modal";
import Link from "@docusaurus/Link";
import { useHistory } from "@docusaurus/router";
import { isRegexpStringMatch, useSearchLinkCreator } from "@docusaurus/theme-common";
import { useAlgoliaContextualFacetFilters, useSearchResultUrlProcessor } from "@docusaurus/theme-search-algolia/client";
import useDocusaurusContext from "@docusaurus/useDocusaurusContext";
import translations from "@theme/SearchTranslations";
import { type ComponentProps, useMemo } from "react";
import { createPortal } from "react-dom";

type ModalProps = ComponentProps<typeof DocSearchModal>;
type FacetFilters = string | readonly (string | readonly string[])[];

interface AlgoliaConfig extends Pick<ModalProps, "appId" | "apiKey" | "indexName" | "placeholder"> {
  readonly contextualSearch: boolean;
  readonly externalUrlRegex?: string;
  readonly searchPagePath: string | false;
  readonly searchParameters?: Record<string, unknown> & { facetFilters?: FacetFilters };
}

export interface SearchDialogProps {
  readonly initialQuery: string | undefined;
  readonly onClose: () => void;
}

export function SearchDialog({ initialQuery, onClose }: SearchDialogProps) {
  const { siteConfig, siteMetadata } = useDocusaurusContext();
  const config = siteConfig.themeConfig.algolia as AlgoliaConfig;
  const { appId, apiKey, indexName, externalUrlRegex } = config;
  const history = useHistory();
  const processUrl = useSearchResultUrlProcessor();
  const contextFilters = useAlgoliaContextualFacetFilters();
  const createSearchLink = useSearchLinkCreator();

  const searchParameters = useMemo(() => {
    const configured = config.searchParameters?.facetFilters ?? [];
    const asList = (filters: FacetFilters) => (typeof filters === "string" ? [filters] : filters);
    const facetFilters = config.contextualSearch ? [...asList(contextFilters), ...asList(configured)] : configured;
    return { ...config.searchParameters, facetFilters };
  }, [config, contextFilters]);

  const stable = useMemo(
    () => ({
      navigator: {
        navigate({ itemUrl }: { itemUrl: string }) {
          if (isRegexpStringMatch(externalUrlRegex, itemUrl)) window.location.href = itemUrl;
          else history.push(itemUrl);
        },
      },
      transformItems: ((items) => items.map((item) => ({ ...item, url: processUrl(item.url) }))) as NonNullable<
        ModalProps["transformItems"]
      >,
      transformSearchClient: ((client) => {
        client.addAlgoliaAgent("docusaurus", siteMetadata.docusaurusVersion);
        return client;
      }) as NonNullable<ModalProps["transformSearchClient"]>,
    }),
    [externalUrlRegex, history, processUrl, siteMetadata.docusaurusVersion],
  );

  const resultsFooter = useMemo<NonNullable<ModalProps["resultsFooterComponent"]>>(
    () =>
      ({ state }) => (
        <Link to={createSearchLink(state.query)} onClick={onClose}>
          See all {String(state.context.nbHits ?? "")} results
        </Link>
      ),
    [createSearchLink, onClose],
  );

  return createPortal(
    <DocSearchModal
      appId={appId}
      apiKey={apiKey}
      indexName={indexName}
      initialScrollY={window.scrollY}
      {...(initialQuery === undefined ? {} : { initialQuery })}
      hitComponent={Hit}
      {...stable}
      resultsFooterComponent={resultsFooter}
      placeholder={config.placeholder ?? translations.placeholder}
      {...(translations.modal === undefined ? {} : { translations: translations.modal })}
      searchParameters={searchParameters as NonNullable<ModalProps["searchParameters"]>}
      onClose={onClose}
    />,
    document.body,
  );
}

/**
 * A hit is an option of a list, and an option may hold nothing that takes the focus: this is a link to the pointer only.
 * Enter on the option is the modal's own doing.
 */
const Hit: NonNullable<ModalProps["hitComponent"]> = ({ hit, children }) => {
  const history = useHistory();
  const openElsewhere = () => window.open(hit.url, "_blank", "noopener");
  return (
    // biome-ignore lint/a11y/noStaticElementInteractions: see above.
    // biome-ignore lint/a11y/useKeyWithClickEvents: see above.
    <a
      // biome-ignore lint/a11y/useValidAnchor: see above.
      onClick={(event) => {
        if (event.metaKey || event.ctrlKey || event.shiftKey) openElsewhere();
        else history.push(hit.url);
      }}
      onAuxClick={(event) => {
        if (event.button === 1) openElsewhere();
      }}
    >
      {children}
    </a>
  );
};

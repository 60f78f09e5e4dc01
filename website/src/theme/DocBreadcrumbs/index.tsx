/** The theme's breadcrumbs, with what can be done with the page at the other end of the line. */

import { PageActions } from "@site/src/components/page-actions.tsx";
import DocBreadcrumbs from "@theme-original/DocBreadcrumbs";

export default function DocBreadcrumbsWithActions() {
  return (
    <div className="page-top">
      <DocBreadcrumbs />
      <PageActions />
    </div>
  );
}

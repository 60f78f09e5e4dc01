/** Opens what is folded while the page is printed: paper has nothing to press. */
import ExecutionEnvironment from "@docusaurus/ExecutionEnvironment";

const opened = new Set<HTMLDetailsElement>();

function openAll(): void {
  for (const details of document.querySelectorAll<HTMLDetailsElement>(".markdown details:not([open])")) {
    details.open = true;
    opened.add(details);
  }
}

function closeAgain(): void {
  for (const details of opened) details.open = false;
  opened.clear();
}

if (ExecutionEnvironment.canUseDOM) {
  addEventListener("beforeprint", openAll);
  addEventListener("afterprint", closeAgain);
}

/**
 * Says that the code of the page that was opened could not be loaded, with the error's text and a Retry button (spec §2). The
 * page can be read meanwhile, but its search and menus do nothing.
 */
import ExecutionEnvironment from "@docusaurus/ExecutionEnvironment";

const HYDRATED = "data-has-hydrated";
/** That of `src/components/lazy-module.tsx`, whose style it has. */
const BOX_CLASS = "lazy-module";

function report(reason: unknown): void {
  const isShown = document.documentElement.getAttribute(HYDRATED) === "true" || document.querySelector(`.${BOX_CLASS}`);
  if (isShown) return;
  const box = document.createElement("div");
  box.className = BOX_CLASS;
  box.setAttribute("role", "alert");
  const text = document.createElement("p");
  text.textContent = `This page's code could not be loaded: ${reason instanceof Error ? reason.message : String(reason)}`;
  const retry = document.createElement("button");
  retry.type = "button";
  retry.className = "button button--primary button--sm";
  retry.textContent = "Retry";
  retry.addEventListener("click", () => location.reload());
  box.append(text, retry);
  // Beside the element that the framework renders into.
  document.body.append(box);
}

if (ExecutionEnvironment.canUseDOM) {
  // The framework waits for the page's code before it takes over the first page, and leaves a failure to the browser.
  addEventListener("unhandledrejection", ({ reason }) => report(reason));
}

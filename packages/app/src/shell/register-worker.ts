/** The service worker with which an installed application starts while ToolHive is away. */

const SCRIPT = "/service-worker.js";

/** What TypeScript's library of the DOM does not have yet, and only some browsers do. */
interface TrustedTypes {
  createPolicy(
    name: string,
    rules: { createScriptURL: (url: string) => string },
  ): { createScriptURL(url: string): string };
}

/** Where a browser has none, or allows none at this address, the application works without. */
export function registerWorker(): void {
  if (!import.meta.env.PROD || !("serviceWorker" in navigator)) return;
  const { trustedTypes } = window as { readonly trustedTypes?: TrustedTypes };
  const rules = {
    createScriptURL: (url: string) => {
      if (url === SCRIPT) return url;
      throw new TypeError(`${url} is not the service worker.`);
    },
  };
  const policy = trustedTypes?.createPolicy("service-worker", rules) ?? rules;
  void navigator.serviceWorker.register(policy.createScriptURL(SCRIPT), { scope: "/" }).catch(() => undefined);
}

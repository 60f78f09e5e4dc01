/**
 * What a page for signing in wants to read before its authorization server gives a refresh token, where that is neither a scope
 * (`offline_access`) nor the usual answer.
 */

/** By the page's host, from the documentation of these providers. */
const PARAMETERS: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  // Without the consent, a person who has signed in before gets no further refresh token.
  "accounts.google.com": { access_type: "offline", prompt: "consent" },
  "www.dropbox.com": { token_access_type: "offline" },
};

/** Adds them to the address of the page, except those that are there. */
export function askForLastingGrant(page: URL): void {
  addParameters(page, Object.hasOwn(PARAMETERS, page.hostname) ? PARAMETERS[page.hostname] : undefined);
}

/** Adds parameters to the address of a page, except those that it has: nobody can replace the state or the address of the return. */
export function addParameters(page: URL, parameters: Readonly<Record<string, string>> = {}): void {
  for (const [name, value] of Object.entries(parameters)) {
    if (!page.searchParams.has(name)) page.searchParams.set(name, value);
  }
}

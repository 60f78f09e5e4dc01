/**
 * Credentials that the search client insists on when the site searches through its own service.
 * They are public and identify nothing: the service on the same origin accepts any pair.
 */
export const LOCAL_SEARCH = { appId: "TOOLHIVE", apiKey: "same-origin" } as const;

/** Versions that texts name. The CLI's is read from its package when the site is configured. */
export const DESCRIBED_VERSIONS = { operator: "0.1.8" } as const;

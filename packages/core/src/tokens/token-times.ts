/** Seconds that the issuer's clock and ours may differ. */
export const CLOCK_SKEW_SECONDS = 60;

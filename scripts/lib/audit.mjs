/** Reads what `npm audit --json` says. */

/**
 * @param {string} text
 * @returns {{ outcome: "passed" | "failed" | "skipped", why: string }}
 */
export function judgeAudit(text) {
  const answer = parse(text);
  const counts = answer?.metadata?.vulnerabilities;
  if (counts === undefined) {
    const reason = String(answer?.message ?? answer?.error?.summary ?? "no answer").split(/ - |\n/)[0];
    return { outcome: "skipped", why: `the registry does not say: ${reason}` };
  }
  const grave = Object.entries(answer.vulnerabilities ?? {}).filter(([, { severity }]) =>
    ["high", "critical"].includes(severity),
  );
  if (grave.length === 0) return { outcome: "passed", why: "" };
  const list = grave.map(([name, { severity }]) => `${name} (${severity})`).join(", ");
  return { outcome: "failed", why: `${list}. Look at it with: npm audit --omit=dev` };
}

/** @param {string} text */
function parse(text) {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // no network, or npm was ended
  }
}

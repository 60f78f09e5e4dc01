/** Plays the person and the browser: opens the address, goes where it leads, and agrees to everything. */

/** More redirects than a sign-in has. */
const MAX_STEPS = 30;

/** @returns The text of the last page. */
export async function signInWithBrowser(address: string): Promise<string> {
  const browser = new Browser();
  return await browser.open(address);
}

/** Enters a code at the page of a device grant. @param address With the code in it. @returns The text of the last page. */
export async function enterUserCode(address: string): Promise<string> {
  const browser = new Browser();
  let page = await browser.open(address);
  // The page asks whether it is really this device; some pages hand the code on by themselves before.
  for (let forms = 0; forms < 3 && /<form/.test(page); forms += 1) {
    const action = /action="([^"]+)"/.exec(page)?.[1] ?? browser.at;
    const inputs = [...page.matchAll(/<input[^>]*>/g)].map(([input]) => input);
    const fields = inputs.flatMap((input) => {
      const name = /name="([^"]+)"/.exec(input)?.[1];
      return name === undefined ? [] : [[name, /value="([^"]*)"/.exec(input)?.[1] ?? ""] as [string, string]];
    });
    page = await browser.open(new URL(action, browser.at).href, new URLSearchParams([...fields, ["confirm", "yes"]]));
  }
  return page;
}

class Browser {
  readonly #cookies = new Map<string, string>();
  at = "";

  async open(address: string, form?: URLSearchParams): Promise<string> {
    let [url, body] = [address, form];
    for (let steps = 0; steps < MAX_STEPS; steps += 1) {
      const cookie = [...this.#cookies].map(([name, value]) => `${name}=${value}`).join("; ");
      const response = await fetch(url, {
        redirect: "manual",
        headers: { cookie, accept: "text/html" },
        ...(body && { method: "POST", body }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [name = "", value = ""] = (line.split(";")[0] ?? "").split(/=(.*)/s);
        this.#cookies.set(name, value);
      }
      this.at = url;
      const location = response.headers.get("location");
      if (location === null) return await response.text();
      await response.body?.cancel();
      [url, body] = [new URL(location, url).href, undefined];
    }
    throw new Error(`${address} leads on and on.`);
  }
}

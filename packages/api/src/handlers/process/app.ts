/** What the operations of the application's browsers do. */

import type { AppSessions } from "../../app/app-sessions.ts";
import { removeRedirectPage, writeRedirectPage } from "../../app/redirect-page.ts";
import type { Handlers } from "../../contract/contract.ts";
import type { APP_OPERATIONS, APP_SOCKET_OPERATIONS } from "../../contract/process/app.ts";

/** The application as the process serves it. */
export interface ServedApp {
  readonly sessions: AppSessions;
  /**
   * Serves it, if it is not served yet.
   *
   * @param port Default: the one that browsers know.
   * @returns Its address, and whether a browser has to sign in there.
   * @throws {ThvError} `PORT_IN_USE`; `NOT_SUPPORTED` where this program has no application.
   */
  open(port?: number): Promise<{ readonly address: string; readonly port: number; readonly isOpenToAll: boolean }>;
}

export function appHandlers({
  sessions,
  open,
}: ServedApp): Pick<Handlers, keyof typeof APP_OPERATIONS | keyof typeof APP_SOCKET_OPERATIONS> {
  return {
    createAppSession: async ({ body }) => {
      const { token, expiresAt } = await sessions.signIn(body.token);
      return { token, expires_at: expiresAt.toISOString() };
    },
    deleteAppSession: async (_input, { authorization }) => await sessions.signOut(authorization),
    openApp: async ({ body }) => {
      const { address, port, isOpenToAll } = await open(body.port);
      if (isOpenToAll) return { address, url: address };
      const { redirect_page: page } = body;
      const token = sessions.invite(port, () => page !== undefined && removeRedirectPage(page));
      // In the fragment, which browsers do not send.
      const url = `${address}#token=${token}`;
      if (page !== undefined) await writeRedirectPage(page, url);
      return { address, url };
    },
  };
}

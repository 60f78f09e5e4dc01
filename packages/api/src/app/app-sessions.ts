/**
 * Who may use the API over a port of the application. Other users of the machine reach that port, too, so each browser
 * signs in: with a token for one use, which `thv ui` prints, it gets a token of its own. The file has only their digests.
 * A session is good at one port: a page sends its token to whatever program listens there, and after a restart that may be
 * another user's.
 */
import { createHash, randomBytes } from "node:crypto";
import { atomicWrite, TokenRefused } from "@toolhive/core";
import { readTextIfPresent } from "@toolhive/core/bounded-file";
import { parseJson } from "@toolhive/http/values";
import * as Type from "typebox";
import { Check } from "typebox/schema";

/** Milliseconds within which the token that `thv ui` prints has to be used. */
export const INVITATION_MS = 5 * 60_000;
/** Milliseconds that a browser stays signed in. */
export const SESSION_MS = 30 * 24 * 3_600_000;
/** Signed-in browsers; the oldest makes room. */
export const MAX_SESSIONS = 16;
const MAX_INVITATIONS = 16;

const PortSchema = Type.Integer({ minimum: 1, maximum: 65535 });
const FileSchema = Type.Object({
  port: PortSchema,
  // A file of an earlier version does not contain the ports of its sessions: they count as ended.
  sessions: Type.Array(Type.Object({ digest: Type.String(), expires_at: Type.Integer(), port: PortSchema }), {
    maxItems: MAX_SESSIONS,
  }),
});
type Kept = Type.Static<typeof FileSchema>;

interface Session {
  readonly expiry: number;
  /** Where its browser has the application open, and the only port at which its token is accepted. */
  readonly port: number;
}

interface Invitation extends Session {
  readonly onEnd: () => void;
  readonly timer: NodeJS.Timeout;
}

export class AppSessions {
  readonly #path: string;
  readonly #now: () => number;
  /** By digest. */
  readonly #invitations = new Map<string, Invitation>();
  #sessions = new Map<string, Session>();
  #port: number | undefined;

  constructor(path: string, now: () => number = Date.now) {
    this.#path = path;
    this.#now = now;
  }

  /** The port of the last invitation, if a browser is signed in there; else one where a browser is. `undefined` without any. */
  get port(): number | undefined {
    const { ports } = this;
    return this.#port !== undefined && ports.includes(this.#port) ? this.#port : ports[0];
  }

  /** The ports at which signed-in browsers expect the application, each once. */
  get ports(): number[] {
    return [...new Set([...this.#sessions.values()].map(({ port }) => port))];
  }

  /** Reads the file. Without a readable one, nobody is signed in. */
  async load(): Promise<void> {
    const kept = await this.#read();
    const now = this.#now();
    this.#port = kept?.port;
    this.#sessions = new Map(
      (kept?.sessions ?? [])
        .filter((each) => each.expires_at > now)
        .map(({ digest, expires_at: expiry, port }) => [digest, { expiry, port }]),
    );
  }

  /**
   * @param port Where the browser will sign in; its session is good there alone.
   * @param onEnd Called once, when the token was used or is not valid any more. Default: nothing happens then.
   * @returns A token that signs one browser in, once, within five minutes.
   */
  invite(port: number, onEnd: () => void = () => undefined): string {
    this.#port = port;
    const now = this.#now();
    for (const [digest, { expiry }] of this.#invitations) if (expiry <= now) this.#endInvitation(digest);
    if (this.#invitations.size >= MAX_INVITATIONS) this.#endInvitation([...this.#invitations.keys()][0] ?? "");
    const token = createToken();
    const digest = digestToken(token);
    const timer = setTimeout(() => this.#endInvitation(digest), INVITATION_MS).unref();
    this.#invitations.set(digest, { expiry: now + INVITATION_MS, port, onEnd, timer });
    return token;
  }

  /** Ends every invitation. Sessions stay, for the next process. */
  close(): void {
    for (const digest of [...this.#invitations.keys()]) this.#endInvitation(digest);
  }

  /** @returns The one that was ended; `undefined` when there is none. */
  #endInvitation(digest: string): Invitation | undefined {
    const invitation = this.#invitations.get(digest);
    if (invitation === undefined) return undefined;
    this.#invitations.delete(digest);
    clearTimeout(invitation.timer);
    invitation.onEnd();
    return invitation;
  }

  /** @param invitation Of `invite`. @throws {TokenRefused} When it is none, was used, or is too old. */
  async signIn(invitation: string): Promise<{ readonly token: string; readonly expiresAt: Date }> {
    const ended = this.#endInvitation(digestToken(invitation));
    const now = this.#now();
    if (ended === undefined || ended.expiry <= now) throw refuse("This sign-in was used already, or is too old.");
    const token = createToken();
    while (this.#sessions.size >= MAX_SESSIONS) this.#sessions.delete([...this.#sessions.keys()][0] ?? "");
    this.#sessions.set(digestToken(token), { expiry: now + SESSION_MS, port: ended.port });
    await this.#write();
    return { token, expiresAt: new Date(now + SESSION_MS) };
  }

  /** @param authorization The header of a request. Without a session there is nothing to do. */
  async signOut(authorization: string | undefined): Promise<void> {
    if (this.#sessions.delete(digestToken(readBearer(authorization)))) await this.#write();
  }

  /** Signs every browser out that signed in at this port. */
  async signOutAt(port: number): Promise<void> {
    const ended = [...this.#sessions].filter(([, session]) => session.port === port);
    for (const [digest] of ended) this.#sessions.delete(digest);
    if (ended.length > 0) await this.#write();
  }

  /**
   * @param authorization The header of a request.
   * @param port At which the request arrived.
   * @throws {TokenRefused} Also for the token of a session at another port.
   */
  async verify(authorization: string | undefined, port: number): Promise<void> {
    const session = this.#sessions.get(digestToken(readBearer(authorization)));
    if (session === undefined || session.port !== port || session.expiry <= this.#now())
      throw refuse("This browser is not signed in.");
  }

  async #read(): Promise<Kept | undefined> {
    const text = await readTextIfPresent(this.#path);
    const value = text === undefined ? undefined : parseJson(text);
    return Check(FileSchema, value) ? value : undefined;
  }

  async #write(): Promise<void> {
    const sessions = [...this.#sessions].map(([digest, { expiry, port }]) => ({ digest, expires_at: expiry, port }));
    await atomicWrite(this.#path, `${JSON.stringify({ port: this.#port ?? 1, sessions })}\n`);
  }
}

function createToken(): string {
  return randomBytes(32).toString("base64url");
}

/** Looked up by digest, so that the time of a comparison reveals nothing about a token. */
function digestToken(token: string): string {
  return createHash("sha256").update(token).digest("base64url");
}

function readBearer(authorization = ""): string {
  return /^Bearer ([\w-]{1,128})$/i.exec(authorization)?.[1] ?? "";
}

function refuse(text: string): TokenRefused {
  return new TokenRefused(text, 'Bearer realm="ToolHive"', { hint: "Sign this browser in: thv ui" });
}

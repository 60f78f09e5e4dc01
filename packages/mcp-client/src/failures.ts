/** Why a message got no answer, as far as that decides what may be done next. */

/** Nothing of the message has arrived: it may be sent again. */
export class NotDelivered extends Error {
  override readonly name = "NotDelivered";
}

/** The server does not know the session any more, and has not taken the message: it may be sent again in a new session. */
export class SessionLost extends Error {
  override readonly name = "SessionLost";
  /** The first bytes of the server's answer. */
  readonly body: Buffer;

  constructor(body: Buffer = Buffer.alloc(0)) {
    super("The server does not know the session any more.");
    this.body = body;
  }
}

/** The server has answered with a status other than success. */
export class RefusedMessage extends Error {
  override readonly name = "RefusedMessage";
  readonly status: number;
  /** The first bytes of the answer; may be an error of the protocol. */
  readonly body: Buffer;

  constructor(status: number, body: Buffer) {
    super(`The server answered with status ${status}.`);
    this.status = status;
    this.body = body;
  }
}

/** The server has nothing more to say, and has not answered. */
export class Unanswered extends Error {
  override readonly name = "Unanswered";

  constructor() {
    super("The server ended its answer before it was complete.");
  }
}

/** One message of the server is larger than the client accepts. */
export class AnswerTooLarge extends Error {
  override readonly name = "AnswerTooLarge";

  constructor(what: "answer" | "event", maxBytes: number) {
    super(`The server sent an ${what} of more than ${maxBytes} bytes.`);
  }
}

/** A server of HTTP with SSE names another origin for messages. They are not sent there: a token would go with them. */
export class ForeignAddress extends Error {
  override readonly name = "ForeignAddress";

  constructor(address: string) {
    super(`The server sends messages to another place: ${address}`);
  }
}

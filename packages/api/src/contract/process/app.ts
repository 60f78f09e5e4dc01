/** The operations with which a browser signs in to the application. */
import * as Type from "typebox";
import { operation, socketOperation } from "../parts/operation.ts";

const JSON_TYPE = "application/json";

export const APP_OPERATIONS = {
  createAppSession: operation({
    tag: "system",
    summary: "Sign a browser in to the application",
    description:
      "Exchanges the one-time token that `thv ui` prints for a session token. Send the session token as `Authorization: Bearer TOKEN`; it is valid only at the port that `thv ui` printed.",
    body: Type.Object(
      { token: Type.String({ minLength: 1, maxLength: 128, description: "The token that `thv ui` printed." }) },
      { $id: "AppSessionRequest" },
    ),
    success: {
      status: 201,
      description: "The browser is signed in.",
      contentType: JSON_TYPE,
      schema: Type.Object(
        {
          token: Type.String({ description: "Token of the session. It is not shown again." }),
          expires_at: Type.String({ format: "date-time", description: "Time at which the session ends." }),
        },
        { $id: "AppSession" },
      ),
    },
    errors: { UNAUTHENTICATED: "Failed to sign in:", FILE_FAILED: "Failed to sign in:" },
  }),
  deleteAppSession: operation({
    tag: "system",
    summary: "Sign a browser out of the application",
    description: "Ends the validity of the request's session token. A request without a session token changes nothing.",
    success: { status: 204, description: "The browser is signed out." },
    errors: { FILE_FAILED: "Failed to sign out:" },
  }),
};

export const APP_SOCKET_OPERATIONS = {
  openApp: socketOperation({
    tag: "system",
    summary: "Serve the application, and let one browser sign in",
    body: Type.Object({
      port: Type.Optional(
        Type.Integer({
          minimum: 1,
          maximum: 65535,
          description: "Port on 127.0.0.1. Default: the one that browsers know, else 8484, else a free one.",
        }),
      ),
      redirect_page: Type.Optional(
        Type.String({
          minLength: 1,
          maxLength: 4096,
          description:
            "Path of a page to write that leads a browser there, for this user only. It is removed when the token was used or is too old. Default: none; none either where no token is needed.",
        }),
      ),
    }),
    success: {
      status: 200,
      description: "Where it is.",
      contentType: JSON_TYPE,
      schema: Type.Object({
        address: Type.String({ description: "Without the token." }),
        url: Type.String({
          description: "URL to open in a browser, with a token for one use if the API requires one.",
        }),
      }),
    },
    errors: {
      PORT_IN_USE: "Failed to serve the application:",
      NOT_SUPPORTED: "Failed to serve the application:",
      FILE_FAILED: "Failed to serve the application:",
    },
  }),
};

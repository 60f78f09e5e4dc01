/** The operations on the server itself. */
import { Type } from "typebox";
import { operation } from "./parts/operation.ts";

const VersionSchema = Type.Object({ version: Type.String({ examples: ["v0.2.0"] }) }, { $id: "VersionResponse" });

export const SYSTEM_OPERATIONS = {
  getHealth: operation({
    tag: "system",
    summary: "Check whether the server and its container engine answer",
    success: { status: 204, description: "Both answer." },
    errors: {
      ENGINE_UNREACHABLE: "failed to ping container engine:",
      ENGINE_PERMISSION: "failed to ping container engine:",
    },
  }),
  getOpenApi: operation({
    tag: "system",
    summary: "Get this document",
    success: {
      status: 200,
      description: "The OpenAPI document.",
      contentType: "application/json",
      schema: Type.Unknown(),
    },
  }),
  getVersion: operation({
    tag: "version",
    summary: "Get the server's version",
    success: { status: 200, description: "The version.", contentType: "application/json", schema: VersionSchema },
  }),
};

/** `thv config get-ca-cert`, `set-ca-cert`, `unset-ca-cert` */
import { resolve } from "node:path";
import { describeError, readCaCertificate } from "@toolhive/core";
import type { CommandHandler } from "../../command-line/command.ts";
import { printOutcome } from "../print-outcome.ts";
import { openConfig } from "../shared/open-registry.ts";
import type { CONFIG_GET_CA_CERT, CONFIG_SET_CA_CERT, CONFIG_UNSET_CA_CERT } from "./definition.ts";

const NOT_CONFIGURED = "No CA certificate is configured.";

export const getCaCert: CommandHandler<typeof CONFIG_GET_CA_CERT> = async (input, context) => {
  const { ca_certificate_path } = await openConfig(context).load();
  const { terminal } = context;
  if (input.format === "json") {
    terminal.printJson({ ca_certificate_path });
  } else if (ca_certificate_path === "") terminal.info(NOT_CONFIGURED);
  else terminal.print(ca_certificate_path);
  if (ca_certificate_path === "") return;
  try {
    await readCaCertificate(ca_certificate_path);
  } catch (error) {
    terminal.info(`${terminal.err("yellow", "Warning:")} ${describeError(error)}`);
  }
};

export const setCaCert: CommandHandler<typeof CONFIG_SET_CA_CERT> = async (input, context) => {
  const path = resolve(input.positionals[0]);
  const { isAuthority, subject } = await readCaCertificate(path);
  await openConfig(context).update((config) => ({ ...config, ca_certificate_path: path }));
  const { terminal } = context;
  printOutcome(
    input,
    context,
    { ca_certificate_path: path },
    `Image builds and connections to remote servers trust ${path} (${subject}).`,
  );
  if (!isAuthority) {
    terminal.info(`${terminal.err("yellow", "Warning:")} It is not a certificate authority's own certificate.`);
  }
};

export const unsetCaCert: CommandHandler<typeof CONFIG_UNSET_CA_CERT> = async (input, context) => {
  const config = openConfig(context);
  const { ca_certificate_path } = await config.load();
  const outcome = { ca_certificate_path: "" };
  if (ca_certificate_path === "") {
    context.terminal.info(NOT_CONFIGURED);
    printOutcome(input, context, outcome);
    return;
  }
  await config.update((current) => ({ ...current, ...outcome }));
  printOutcome(
    input,
    context,
    outcome,
    "Image builds and connections to remote servers trust the usual certificates only.",
  );
  context.terminal.info(`To undo it: thv config set-ca-cert ${ca_certificate_path}`);
};

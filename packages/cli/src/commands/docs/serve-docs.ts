/** `thv docs mcp`: the MCP server of the documentation for one client, on standard input and output. */
import { Writable } from "node:stream";
import { BRAND } from "@toolhive/core/brand";
import { describeError } from "@toolhive/core/errors";
import { PackError, serveOnStreams } from "@toolhive/docs";
import type { CommandHandler } from "../../command-line/command.ts";
import type { DOCS_MCP } from "./definition.ts";
import { openOwnDocs } from "./own-docs.ts";

export const serveDocs: CommandHandler<typeof DOCS_MCP> = async (_input, { terminal, env, signal }) => {
  const { library, warning } = await openOwnDocs(env);
  if (warning !== undefined) terminal.info(warning);
  if (terminal.canAsk) {
    terminal.infoProse(
      `This waits for an MCP client on standard input; Ctrl-C ends it. To search the documentation for these words, add another one: ${BRAND.command} docs mcp server`,
    );
  }
  const output = new Writable({
    decodeStrings: false,
    write: (text: string, _encoding, done) => {
      terminal.write(text);
      done();
    },
  });
  await serveOnStreams(
    library,
    { input: terminal.stdin, output, signal },
    {
      describeOutage: (error) =>
        error instanceof PackError
          ? `The documentation of this installation cannot be searched: ${error.message}. Its pages can be read: read_page with a path, resources/list for all of them.`
          : undefined,
      onError: (error) => terminal.info(describeError(error)),
    },
  );
};

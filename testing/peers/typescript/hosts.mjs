/** Web frameworks, each with one handler of Node.js behind `/mcp`. @returns The address. */
import { once } from "node:events";
import { createServer } from "node:http";

export async function startOnExpress(app, handle) {
  app.all("/mcp", async (request, response) => await handle(request, response, request.body));
  return await listen(createServer(app));
}

export async function startOnFastify(app, handle) {
  app.route({
    ...{ method: ["GET", "POST", "DELETE"], url: "/mcp" },
    handler: async (request, reply) => {
      reply.hijack();
      await handle(request.raw, reply.raw, request.body);
    },
  });
  await app.listen({ port: 0, host: "127.0.0.1" });
  return `http://127.0.0.1:${app.server.address().port}/mcp`;
}

export async function startOnNode(handle) {
  return await listen(
    createServer(async (request, response) => {
      let text = "";
      for await (const piece of request.setEncoding("utf8")) text += piece;
      await handle(request, response, text === "" ? undefined : JSON.parse(text));
    }),
  );
}

/** @param app With its routes on it. */
export async function startHono(app) {
  const { serve } = await import("@hono/node-server");
  const server = serve({ fetch: app.fetch, port: 0, hostname: "127.0.0.1" });
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}/mcp`;
}

export async function listen(server, path = "/mcp") {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return `http://127.0.0.1:${server.address().port}${path}`;
}

/** The same with the dispatcher of `undici` as the client: `bare-undici-proxy PORT PORT-BEHIND MODULE`. */
import { createServer } from "node:http";

const [port, behind, module = "undici"] = process.argv.slice(2);
/** @type {{ Pool: new (origin: string, options: object) => import("./undici.d.ts").Dispatcher }} */
const { Pool } = await import(module);
const pool = new Pool(`http://127.0.0.1:${behind}`, { pipelining: 1 });

createServer((incoming, response) => {
  const { method, url: path, headers } = incoming;
  delete headers.connection;
  const body = method === "POST" ? incoming : null;
  pool.dispatch(
    { method, path, headers, body },
    {
      onConnect: () => undefined,
      onHeaders: (status, answer, resume) => {
        response.writeHead(status, answer.map(String));
        response.on("drain", resume);
        return true;
      },
      onData: (chunk) => response.write(chunk),
      onComplete: () => response.end(),
      onError: () => response.destroy(),
    },
  );
}).listen(Number(port), "127.0.0.1");

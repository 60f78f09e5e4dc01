/** What the machine's own container engines hold, read through their Docker-compatible API. */
import { request } from "node:http";

/** Where engines listen that belong to the machine. */
const USUAL_HOSTS = ["unix:///var/run/docker.sock", "unix:///run/podman/podman.sock"];
/** Milliseconds that an engine has for an answer. */
const TIMEOUT_MS = 10_000;

/** @param {string} host @param {string} path @returns {Promise<any>} `undefined` where no engine answers. */
async function get(host, path) {
  return await new Promise((resolve) => {
    const outgoing = request({ socketPath: host.replace("unix://", ""), path, timeout: TIMEOUT_MS }, (response) => {
      let body = "";
      response.setEncoding("utf8").on("data", (text) => {
        body += text;
      });
      response.once("end", () => resolve(response.statusCode === 200 ? JSON.parse(body) : undefined));
      response.once("error", () => resolve(undefined));
    });
    outgoing.once("timeout", () => outgoing.destroy(new Error("no answer")));
    outgoing.once("error", () => resolve(undefined));
    outgoing.end();
  });
}

const short = (/** @type {string} */ id) => id.replace("sha256:", "").slice(0, 12);

/** @param {string} host @returns {Promise<string[]>} */
async function listObjects(host) {
  const [containers, images, volumes, networks] = await Promise.all(
    ["/containers/json?all=1", "/images/json", "/volumes", "/networks"].map((path) => get(host, path)),
  );
  return [
    ...(containers ?? []).map(
      (/** @type {any} */ { Id, Names, State }) => `container ${short(Id)} ${Names?.join()} ${State}`,
    ),
    ...(images ?? []).map(
      (/** @type {any} */ { Id, RepoTags }) => `image ${short(Id)} ${(RepoTags ?? []).sort().join()}`,
    ),
    ...(volumes?.Volumes ?? []).map((/** @type {any} */ { Name }) => `volume ${Name}`),
    ...(networks ?? []).map((/** @type {any} */ { Id, Name }) => `network ${short(Id)} ${Name}`),
  ];
}

/**
 * @param {readonly string[]} [hosts] `unix:///…`. Default: the usual ones, and the one of `DOCKER_HOST`.
 * @returns {Promise<Record<string, string[]>>} Lines by `engine at HOST`; an engine that does not answer has none.
 */
export async function listEngineObjects(hosts) {
  const named = process.env.DOCKER_HOST?.startsWith("unix://") ? [process.env.DOCKER_HOST] : [];
  const all = [...new Set(hosts ?? [...USUAL_HOSTS, ...named])];
  const lists = await Promise.all(all.map(listObjects));
  return Object.fromEntries(all.map((host, index) => [`engine at ${host}`, lists[index] ?? []]));
}

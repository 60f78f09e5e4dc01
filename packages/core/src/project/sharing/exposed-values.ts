/** Values of a project file that look secret: whoever may pull the project would read them. */
import { isSecretLike, isSecretValue } from "../../secrets/secret-like.ts";
import type { Project } from "../read-project.ts";

/** @returns Where they are, such as `API_KEY of weather`; never a value. */
export function listExposedValues({ servers }: Project): string[] {
  return servers.flatMap(({ name, request }) => {
    const { env_vars = [], cmd_arguments = [], header_forward } = request;
    const variables = env_vars.map((text): [string, string] => {
      const at = text.indexOf("=");
      return [text.slice(0, at), text.slice(at + 1)];
    });
    const named = [...variables, ...Object.entries(header_forward?.add_plaintext_headers ?? {})];
    const members = named.filter(([member, value]) => isSecretLike(member, value)).map(([member]) => member);
    const at = cmd_arguments.findIndex(isSecretValue);
    return [...members, ...(at === -1 ? [] : [`argument ${at + 1}`])].map((member) => `${member} of ${name}`);
  });
}

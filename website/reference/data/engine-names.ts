/** What people call the engines, by their kind. */
export const ENGINE_NAMES: Readonly<Record<string, string>> = { docker: "Docker", podman: "Podman" };

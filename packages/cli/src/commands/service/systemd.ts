/** A unit of systemd for one user. Source: systemd.unit(5), systemd.service(5), systemd.exec(5). */
import { join } from "node:path";
import { SERVICE_MARK, type ServiceManager, type ServicePlaces, type ServiceProgram } from "./service-manager.ts";

export const UNIT = "toolhive.service";
const SYSTEMCTL = ["systemctl", "--user"] as const;

export function systemd({ home, env }: ServicePlaces): ServiceManager {
  const config = env.XDG_CONFIG_HOME?.startsWith("/") ? env.XDG_CONFIG_HOME : join(home, ".config");
  return {
    title: "systemd",
    file: join(config, "systemd/user", UNIT),
    describe: (program) => describeUnit(program, `${SERVICE_MARK}; thv service uninstall removes it.`),
    replace: [],
    install: [
      [...SYSTEMCTL, "daemon-reload"],
      [...SYSTEMCTL, "enable", UNIT],
      [...SYSTEMCTL, "restart", UNIT],
    ],
    uninstall: [[...SYSTEMCTL, "disable", "--now", UNIT]],
    afterRemoval: [[...SYSTEMCTL, "daemon-reload"]],
    ask: [...SYSTEMCTL, "is-active", UNIT],
    isRunning: (output) => /^(active|reloading)$/m.test(output),
    advice: "It ends with your last session. To keep it without one: loginctl enable-linger",
  };
}

/** @param origin One line without a line break: who wrote the file. The packages for Linux hold this unit, too. */
export function describeUnit({ command, env }: ServiceProgram, origin: string): string {
  const variables = Object.entries(env).map(([name, value]) => `Environment=${quoteUnitText(`${name}=${value}`)}\n`);
  return `# ${origin}
[Unit]
Description=ToolHive: MCP servers in containers
StartLimitIntervalSec=0

[Service]
ExecStart=${command.map((part) => quoteUnitText(part).replaceAll("$", "$$$$")).join(" ")}
${variables.join("")}Restart=on-failure
RestartSec=1
TimeoutStopSec=120

[Install]
WantedBy=default.target
`;
}

/** In quotes, `\` and `"` are escaped; `%` begins a specifier everywhere. */
function quoteUnitText(text: string): string {
  return `"${text.replaceAll("\\", "\\\\").replaceAll('"', '\\"').replaceAll("%", "%%")}"`;
}

/** An agent of launchd for one user. Source: launchd.plist(5). Not tried on macOS. */
import { join } from "node:path";
import { BRAND } from "@toolhive/core/brand";
import { SERVICE_MARK, type ServiceManager, type ServicePlaces, type ServiceProgram } from "./service-manager.ts";

const LABEL = `${BRAND.docsSegment}.supervisor`;

export function launchd({ home, uid }: ServicePlaces): ServiceManager {
  const file = join(home, "Library/LaunchAgents", `${LABEL}.plist`);
  const domain = `gui/${uid}`;
  return {
    title: "launchd",
    file,
    describe: describeAgent,
    replace: [["launchctl", "bootout", `${domain}/${LABEL}`]],
    install: [["launchctl", "bootstrap", domain, file]],
    uninstall: [["launchctl", "bootout", `${domain}/${LABEL}`]],
    afterRemoval: [],
    ask: ["launchctl", "print", `${domain}/${LABEL}`],
    isRunning: (output) => /^\s*state = running$/m.test(output),
  };
}

function describeAgent({ command, env }: ServiceProgram): string {
  const strings = command.map((part) => `      <string>${escapeXml(part)}</string>`);
  const variables = Object.entries(env).map(
    ([name, value]) => `      <key>${escapeXml(name)}</key><string>${escapeXml(value)}</string>`,
  );
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${SERVICE_MARK}; thv service uninstall removes it. -->
<!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
<plist version="1.0">
  <dict>
    <key>Label</key><string>${LABEL}</string>
    <key>ProgramArguments</key>
    <array>
${strings.join("\n")}
    </array>
    <key>EnvironmentVariables</key>
    <dict>
${variables.join("\n")}
    </dict>
    <key>RunAtLoad</key><true/>
    <key>KeepAlive</key><dict><key>SuccessfulExit</key><false/></dict>
    <key>ExitTimeOut</key><integer>120</integer>
  </dict>
</plist>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

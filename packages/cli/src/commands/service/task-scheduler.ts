/** A task of Windows' Task Scheduler for one user. Source: Task Scheduler schema. Not tried on Windows. */
import { join } from "node:path";
import { SERVICE_MARK, type ServiceManager, type ServicePlaces, type ServiceProgram } from "./service-manager.ts";

const TASK = "ToolHive";

export function taskScheduler({ home, env }: ServicePlaces): ServiceManager {
  const file = join(env.LOCALAPPDATA ?? join(home, "AppData", "Local"), "toolhive", "service.xml");
  return {
    title: "the Task Scheduler",
    file,
    describe: describeTask,
    replace: [],
    install: [
      ["schtasks", "/Create", "/TN", TASK, "/XML", file, "/F"],
      ["schtasks", "/Run", "/TN", TASK],
    ],
    uninstall: [
      ["schtasks", "/End", "/TN", TASK],
      ["schtasks", "/Delete", "/TN", TASK, "/F"],
    ],
    afterRemoval: [],
    ask: ["schtasks", "/Query", "/TN", TASK, "/FO", "CSV", "/NH"],
    isRunning: (output) => /"Running"/.test(output),
  };
}

/** A task has no variables of its own: it gets those of the session. */
function describeTask({ command: [program = "", ...args] }: ServiceProgram): string {
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${SERVICE_MARK}; thv service uninstall removes it. -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Enabled>true</Enabled></LogonTrigger></Triggers>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>999</Count></RestartOnFailure>
  </Settings>
  <Actions>
    <Exec>
      <Command>${escapeXml(program)}</Command>
      <Arguments>${escapeXml(args.map((part) => `"${part}"`).join(" "))}</Arguments>
    </Exec>
  </Actions>
</Task>
`;
}

function escapeXml(text: string): string {
  return text.replaceAll("&", "&amp;").replaceAll("<", "&lt;").replaceAll(">", "&gt;");
}

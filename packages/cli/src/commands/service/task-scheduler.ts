/** A task of Windows' Task Scheduler for one user. Source: Task Scheduler schema. Not tried on Windows. */
import { win32 } from "node:path";
import { resolveDirectories } from "@toolhive/core/directories";
import { SERVICE_MARK, type ServiceManager, type ServicePlaces, type ServiceProgram } from "./service-manager.ts";

const TASK = "ToolHive";

export function taskScheduler({ home, env }: ServicePlaces): ServiceManager {
  const { data } = resolveDirectories({ env, home, platform: "win32" });
  const file = win32.join(data, "service.xml");
  const user = [env.USERDOMAIN, env.USERNAME].filter(Boolean).join("\\");
  return {
    title: "the Task Scheduler",
    file,
    describe: (program) => describeTask(program, user),
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

/**
 * A task has no variables of its own: it gets those of the session.
 *
 * @param user At whose logon it starts; a task for everybody's is for administrators. Empty where the session does not name one.
 */
function describeTask({ command: [program = "", ...args] }: ServiceProgram, user: string): string {
  const userId = user === "" ? "" : `<UserId>${escapeXml(user)}</UserId>`;
  return `<?xml version="1.0" encoding="UTF-8"?>
<!-- ${SERVICE_MARK}; thv service uninstall removes it. -->
<Task version="1.2" xmlns="http://schemas.microsoft.com/windows/2004/02/mit/task">
  <Triggers><LogonTrigger><Enabled>true</Enabled>${userId}</LogonTrigger></Triggers>
  <Principals>
    <Principal>${userId}<LogonType>InteractiveToken</LogonType><RunLevel>LeastPrivilege</RunLevel></Principal>
  </Principals>
  <Settings>
    <MultipleInstancesPolicy>IgnoreNew</MultipleInstancesPolicy>
    <DisallowStartIfOnBatteries>false</DisallowStartIfOnBatteries>
    <StopIfGoingOnBatteries>false</StopIfGoingOnBatteries>
    <ExecutionTimeLimit>PT0S</ExecutionTimeLimit>
    <RestartOnFailure><Interval>PT1M</Interval><Count>255</Count></RestartOnFailure>
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

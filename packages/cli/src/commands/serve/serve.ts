/** `thv serve` */
import type { CommandHandler } from "../../command-line/command.ts";
import { runSupervisor } from "../../supervisor/serve.ts";
import type { SERVE } from "./definition.ts";

export const serve: CommandHandler<typeof SERVE> = async (flags, context) => {
  await runSupervisor(flags, context, {
    examine: async (own) => {
      // Loaded when somebody asks, so that a supervisor at rest does not hold it.
      const { examineThisMachine } = await import("../doctor/doctor.ts");
      return await examineThisMachine(own);
    },
  });
};

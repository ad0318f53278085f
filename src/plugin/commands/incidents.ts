import { listIncidents } from "../incident.ts";
import type { Command } from "./command.ts";

const SHOWN = 10;

/** `/l0-incidents` */
export const INCIDENTS: Command = {
  name: "l0-incidents",
  description: "What was found faulty or refused, and what was done about it",
  acceptsArgs: false,
  async answer(keeper) {
    await keeper.whenStarted();
    const { total, incidents } = listIncidents(keeper.options.stateDirectory, SHOWN);
    if (total === 0) return "No incidents.";
    return [
      ...incidents.map(({ at, sessionId, what }) => `${at}  ${sessionId === undefined ? "" : `session ${sessionId}: `}${what}`),
      ...(total > SHOWN ? [`and ${total - SHOWN} older ones`] : []),
      `Files: ${keeper.options.stateDirectory}/logs`,
    ].join("\n");
  },
};

import { formatTime } from "../../base/time.ts";
import { readIncidents } from "../../doctor/incidents.ts";
import type { Command } from "./command.ts";

const SHOWN = 10;

/** `/l0-incidents` */
export const INCIDENTS: Command = {
  name: "l0-incidents",
  description: "What was found faulty or refused, and what was done about it",
  acceptsArgs: false,
  isOfAll: true,
  async answer(monitor) {
    await monitor.whenStarted();
    const { list, older } = readIncidents(monitor.options.stateDirectory);
    if (list.length === 0) return "No incidents.";
    const more = Math.max(0, list.length - SHOWN) + older;
    return [
      ...list
        .slice(0, SHOWN)
        .map(
          ({ at, sessionId, what, outcome }) =>
            `${at === undefined ? "?" : formatTime(at)} ` +
            ` ${sessionId === undefined ? "" : `session ${sessionId}: `}${what}: ${outcome}`,
        ),
      ...(more > 0 ? [`and ${more} older ones`] : []),
      "Files: logs/l0-incident-*.json in OpenClaw's state directory",
    ].join("\n");
  },
};

import { describeFaults } from "../../health/index.ts";
import { storeError } from "../../store/errors.ts";
import type { FoundSession } from "../sessions/session-monitor.ts";
import { foundWords } from "../sessions/words.ts";
import type { Command } from "./command.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Number of lines that a chat shows without scrolling. */
const SHOWN = 10;

/** `/l0-scan [all] [dry-run]` */
export const SCAN: Command = {
  name: "l0-scan",
  description: "Scan stored sessions now and repair what is faulty: /l0-scan [all] [dry-run]",
  acceptsArgs: true,
  isOfAll: true,
  async answer(monitor, { args = "", sessionKey }) {
    const words = args.split(/\s+/).filter((word) => word !== "");
    const unknown = words.find((word) => word !== "all" && word !== "dry-run");
    if (unknown !== undefined) {
      throw storeError("session-missing", {
        expected: "/l0-scan, /l0-scan all (also unchanged sessions), or /l0-scan dry-run (repair nothing)",
        found: JSON.stringify(unknown),
        todo: "Nothing was done.",
      });
    }
    const isDry = words.includes("dry-run");
    await monitor.whenStarted();
    // What has arrived in this conversation is the command.
    if (sessionKey !== undefined) monitor.arrivals.ended(sessionKey);
    const { result, treated } = await monitor.scan({ foundBy: "scan", all: words.includes("all"), isDry });
    const { sessions, read, corrupt, faulty, problems, milliseconds } = result;
    const found = isDry
      ? faulty.map(({ session, examination }) => `${session.sessionId}: ${describeFaults(examination!).join("; ")}`)
      : treated.map(formatFound);
    return [
      `${sessions} sessions, ${read} read in ${Math.round(milliseconds)} ` +
        `ms: ${corrupt === 0 ? "all valid" : `${corrupt} with faults`}`,
      ...(treated.length > 0 ? [foundWords(treated.map(({ action }) => action))] : []),
      ...found.slice(0, SHOWN),
      ...(found.length > SHOWN
        ? [`and ${found.length - SHOWN} more; \`${ownCommand("sessions scan")}\` lists all`]
        : []),
      ...problems.slice(0, SHOWN),
      ...(isDry ? ["Nothing was changed."] : []),
    ].join("\n");
  },
};

function formatFound({ session, examination, action, reason }: FoundSession): string {
  const why = reason === undefined || action === "repaired" ? "" : ` (${reason})`;
  return `${session.sessionId}: ${describeFaults(examination).join("; ")}: ${action.replace("_", " ")}${why}`;
}

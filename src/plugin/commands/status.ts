import { existsSync } from "node:fs";
import { describeError } from "../../base/coded-error.ts";
import { formatTime } from "../../base/time.ts";
import { readIncidents } from "../../doctor/incidents.ts";
import { describeFaults, isSound, describeState } from "../../health/index.ts";
import { journalFile, openJournal } from "../../journal/index.ts";
import { sharedWork } from "../continuity/register.ts";
import type { FoundSession, SessionMonitor } from "../sessions/session-monitor.ts";
import { explainInactivePatch } from "../sessions/words.ts";
import type { Command, OwnersCommand } from "./command.ts";
import { ownConversation } from "./named.ts";

/** `/l0-status` */
export const STATUS: Command = {
  name: "l0-status",
  description: "Session integrity: the core patch, stored sessions, incidents, checkpoints, recorded work",
  acceptsArgs: false,
  async answer(monitor, command) {
    await monitor.whenStarted();
    await monitor.readPatchState();
    const { stateDirectory } = monitor.options;
    return [
      "Session integrity (clawos-l0)",
      patchLine(monitor),
      protectionLine(monitor),
      scanLine(monitor),
      ...(await conversationLines(monitor, command)),
      incidentLine(stateDirectory),
      checkpointLine(stateDirectory),
      ...(await workLines(monitor)),
    ].join("\n");
  },
};

function patchLine({ patch, isPatched }: SessionMonitor): string {
  if (patch === undefined) return "Core patch: not checked yet";
  if (!isPatched) return `Core patch: NOT ACTIVE. ${explainInactivePatch(patch)}`;
  const way = patch.way === "register" ? ", from memory" : "";
  return `Core patch: active${way} (patch set ${patch.patchSet ?? "unknown"}, OpenClaw ${patch.release})`;
}

function protectionLine({ options }: SessionMonitor): string {
  const found = options.protection?.();
  if (found === undefined) return "This gateway: unknown. It has not looked yet.";
  const { state, reason, at } = found;
  return `This gateway: ${state} (${formatTime(at)}). ${reason}`;
}

function scanLine({ last, waiting }: SessionMonitor): string {
  if (last === undefined) return "Sessions: not scanned yet; /l0-scan scans them";
  const { sessions, problems, at, milliseconds, corrupt } = last.result;
  const repaired = last.treated.filter(({ action }) => action === "repaired" || action === "rolled_back").length;
  // A dry run has treated nothing of what it found.
  const left = last.isDry ? Math.max(0, corrupt - waiting.length) : last.treated.filter(isUnrepaired).length;
  const parts = [
    left === 0 && waiting.length === 0 ? "all valid" : `${left} with faults`,
    ...(repaired > 0 ? [`${repaired} just repaired`] : []),
    ...(waiting.length > 0 ? [`${waiting.length} to be repaired once idle`] : []),
    ...(problems.length > 0 ? [`${problems.length} could not be read`] : []),
  ];
  return `Sessions: ${sessions}, ${parts.join(", ")}; last scan ${formatTime(at)}, ${Math.round(milliseconds)} ms`;
}

function isUnrepaired({ action, after }: FoundSession): boolean {
  if (action === "repaired") return after !== undefined && !isSound(after);
  return action !== "rolled_back" && action !== "waiting";
}

/** Returns the state of the conversation in which the command was sent. Releases of early 2026 do not report it. */
async function conversationLines(monitor: SessionMonitor, command: OwnersCommand): Promise<string[]> {
  const which = ownConversation(command);
  if (which === undefined) return [];
  const shown = await monitor.options.scanWorker.call("show", { which });
  if (shown === undefined) return ["This conversation: nothing stored yet"];
  const { examination } = shown;
  const faults = describeFaults(examination);
  return [
    `This conversation: ${describeState(examination)}, ${examination.messages} ` +
      `messages${faults.length > 0 ? `: ${faults.join("; ")}` : ""}`,
  ];
}

function incidentLine(stateDirectory: string): string {
  const { list, older } = readIncidents(stateDirectory);
  const last = list[0]?.at;
  return list.length === 0
    ? "Incidents: none"
    : `Incidents: ${list.length + older}${last === undefined ? "" : `, the last ${formatTime(last)}`} (/l0-incidents)`;
}

function checkpointLine(stateDirectory: string): string {
  const file = journalFile(stateDirectory);
  if (!existsSync(file)) return "Checkpoints: none (the core patch makes them)";
  try {
    const journal = openJournal(file, { readOnly: true, busyTimeoutMs: 1000 });
    try {
      const all = journal.checkpoints.list();
      return all.length === 0
        ? "Checkpoints: none"
        : `Checkpoints: ${all.length} of ${new Set(all.map(({ sessionId }) => sessionId)).size} sessions ` +
            "(/l0-checkpoints)";
    } finally {
      journal.close();
    }
  } catch (error) {
    return `Checkpoints: ${describeError(error)}`;
  }
}

/** Returns counts only: the content of the work belongs to its conversation. */
async function workLines({ options: { config, stateDirectory, log } }: SessionMonitor): Promise<string[]> {
  try {
    const counts = await sharedWork({ config: config.continuity, stateDirectory, log })?.counts();
    if (counts === undefined) return [];
    const { projects, doing, blocked, todo, open_steps, older_copies } = counts;
    const steps =
      open_steps > 0 ? `, ${open_steps === 1 ? "1 step" : `${open_steps} steps`} without a known outcome` : "";
    const copies =
      older_copies > 0
        ? [`Recorded work goes on from an older copy in ${older_copies} of its projects: see continuity status`]
        : [];
    return [
      ...copies,
      `Recorded work: ${projects === 1 ? "1 project" : `${projects} projects`} with tasks that are not done ` +
        `(${doing} being done, ${blocked} blocked, ${todo} to do)${steps}`,
    ];
  } catch (error) {
    return [`Recorded work: ${describeError(error)}`];
  }
}

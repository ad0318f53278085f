import { type Line, toned } from "../base/terminal.ts";
import { wrappedSentence } from "../base/width.ts";
import { describeFaults } from "../health/index.ts";
import type { CheckedSession, Checkup } from "./checkup.ts";
import { GROUPS } from "./html/groups.ts";
import { protectionBy } from "./patched.ts";
import { printable } from "./printable.ts";
import { type Installed, limitedWidth, patchLines, stepLines, wrapped } from "./report.ts";
import { bySeverity, judgedBy } from "./severity.ts";
import { conversationName, counted, isSettled, nextStep } from "./words.ts";

/** As many conversations fit on a screen beside the rest. */
const MAX_SHOWN = 5;

/** Formats whether OpenClaw is patched, and at work in the gateways that run; what to do comes behind the sessions. */
export function briefPatchLines(installed: Installed, columns: number): Line[] {
  return patchLines(installed, limitedWidth(columns), false);
}

/** Formats the sessions with the worst faults, and what to do next. */
export function briefSessionLines(checkup: Checkup, columns: number): Line[] {
  const width = limitedWidth(columns);
  const { openclaws, gateways, sessions, stateDirectory, problems, work = [] } = checkup;
  const groups = bySeverity(sessions, judgedBy(openclaws));
  const [stopped, losing] = [groups.get("bricks")!, groups.get("loses")!];
  const worst = [...stopped, ...losing];
  const isGuarded = ["whole", "other"].includes(protectionBy(openclaws, gateways));
  const outcomes = [
    ...(stopped.length > 0 ? [`${stopped.length} that ${GROUPS.bricks.name} (${GROUPS.bricks.sign})`] : []),
    ...(losing.length > 0 ? [`${losing.length} that ${GROUPS.loses.name} (${GROUPS.loses.sign})`] : []),
  ].join(", ");
  const { afterwards, ...next } = nextStep(checkup);
  return [
    ...wrapped(`${counted(sessions.length, "session")} in ${printable(stateDirectory, 200)}`, width, ""),
    ...(worst.length === 0
      ? []
      : toned(
          wrapped(
            `${isGuarded ? "The patch protects" : "Nothing protects"} ${counted(worst.length, "session")}, ${outcomes}:`,
            width,
            "",
          ),
          isGuarded ? "good" : "bad",
        )),
    ...worst
      .slice(0, MAX_SHOWN)
      .flatMap((session, at) => faultLines(session, at < stopped.length ? "bricks" : "loses", width)),
    ...(worst.length > MAX_SHOWN ? [`  and ${worst.length - MAX_SHOWN} more`] : []),
    ...problems.flatMap((problem) => toned(wrappedSentence(problem, width), "bad")),
    ...(work.length > 0 ? toned([`${counted(work.length, "thing")} in recorded work that needs you`], "todo") : []),
    "",
    ...stepLines(next, width, isSettled(checkup)),
    ...(afterwards === undefined ? [] : stepLines(afterwards, width)),
  ];
}

function faultLines(session: CheckedSession, severity: "bricks" | "loses", width: number): string[] {
  const { agentId } = session.session;
  const agent = agentId === "main" ? "" : ` (agent ${printable(agentId, 40)})`;
  return wrapped(
    `${GROUPS[severity].sign} ${conversationName(session.session)}${agent}: ` +
      describeFaults(session.examination!).join("; "),
    width,
  );
}

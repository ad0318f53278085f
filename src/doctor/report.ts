import { describeFaults } from "../health/index.ts";
import { archiveWords } from "./archive-faults.ts";
import type { Archive, CheckedSession, Checkup, Incident, Step, WorkNeed } from "./checkup.ts";
import type { LeftBehind } from "../privacy/left-behind.ts";
import { ownCommand } from "../base/commands/own-command.ts";
import { gatewaySentences } from "./gateways.ts";
import { patchStates } from "./patched.ts";
import { routeLines } from "./routes.ts";
import { fitted, printable, shortened, WHOLE, textWidth } from "./printable.ts";
import { type Line, toned } from "../base/terminal.ts";
import { cutWord, wrappedSentence } from "../base/width.ts";
import { bySeverity, judgedBy } from "./severity.ts";
import { formatDay, formatMinute } from "../base/time.ts";
import {
  conversationName,
  counted,
  hasFaults,
  explainFaults,
  isSettled,
  nextStep,
  stateName,
  WHICH_OPENCLAW,
} from "./words.ts";

const MAX_WIDTH = 120;
const MIN_WIDTH = 50;
/**
 * In a narrower terminal the time of day is left out, below the other width the numbers of what is beside a session.
 */
const MIN_WIDTH_WITH_TIME = 100;
const MIN_WIDTH_WITH_NUMBERS = 80;

/** Of sessions, and of things in recorded work: more is read by nobody. */
const MAX_LISTED = 20;
const SHOWN_BY = "`--all` shows them";
const MAX_RECENT = 5;
const MAX_ROUTES = 10;

/** The width of lines in a terminal with `columns` columns. */
export function limitedWidth(columns: number): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columns));
}

/**
 * Formats the report for a terminal with `columns` columns; of the sessions the worst, or `isAll`. Commands are not
 * truncated, so that they can be copied.
 */
export function reportLines(checkup: Checkup, columns: number, isAll = false): Line[] {
  const width = limitedWidth(columns);
  const { at, archives, incidents, journal, leftBehind, routes, stateDirectory, work = [] } = checkup;
  const { afterwards, ...next } = nextStep(checkup);
  const sessions = [...bySeverity(checkup.sessions, judgedBy(checkup.openclaws)).values()].flat();
  const most = isAll ? sessions.length : MAX_LISTED;
  const faulty = sessions.filter((session) => session.unread === undefined && hasFaults(session));
  const unread = sessions.filter((session) => session.unread !== undefined);
  return [
    ...wrappedSentence(`Sessions in ${printable(stateDirectory, 200)}, checked at ${formatMinute(at)} UTC`, width),
    ...patchLines(checkup, width, true),
    ...(faulty.length === 0 ? [] : explainFaults(checkup).flatMap((line) => wrapped(line, width, ""))),
    "",
    ...section(
      "Recorded work that needs you",
      work.slice(0, MAX_LISTED).flatMap((need) => workLines(need, width)),
      more(work.length - MAX_LISTED, "thing", "`continuity status` and `continuity resolve` show them"),
    ),
    ...(sessions.length === 0
      ? []
      : [...table(sessions.slice(0, most), width), ...more(sessions.length - most, "session", SHOWN_BY), ""]),
    ...section(
      "Faults",
      faulty.slice(0, most).flatMap((session) => faultLines(session, width)),
      [
        ...more(faulty.length - most, "session", SHOWN_BY),
        ...(faulty.some(({ session, remedy }) => remedy?.by === "repair" && session.kind === "rows")
          ? wrapped(WHICH_OPENCLAW, width)
          : []),
      ],
    ),
    ...section(
      "Not read",
      unread.slice(0, most).flatMap((session) => unreadLines(session, width)),
      more(unread.length - most, "session", SHOWN_BY),
    ),
    ...section(
      "Archives that can be restored",
      archives.slice(0, MAX_RECENT).flatMap((archive) => archiveLines(archive, width)),
      more(archives.length - MAX_RECENT, "archive", "`--json` and `--html` show them"),
    ),
    ...section(
      "Recent incidents",
      incidents.list.slice(0, MAX_RECENT).flatMap((incident) => incidentLines(incident, width)),
      [
        ...more(
          incidents.list.length - MAX_RECENT + incidents.older,
          "older incident",
          "they are in logs/ of the state directory",
        ),
        ...(incidents.damaged === 0 ? [] : [`  ${counted(incidents.damaged, "file")} of incidents could not be read`]),
      ],
    ),
    ...section(
      "Learned of the routes to models",
      routes.slice(0, MAX_ROUTES).flatMap((route) => routeLines(route).flatMap((line) => wrapped(line, width))),
      more(routes.length - MAX_ROUTES, "route", "`routes` shows them"),
    ),
    ...section(
      "Data of sessions that OpenClaw has deleted",
      leftBehind.slice(0, MAX_RECENT).flatMap(leftLines),
      more(leftBehind.length - MAX_RECENT, "session", "`purge --list` shows them, `purge --deleted` deletes them"),
    ),
    ...(journal.sentence === undefined ? [] : wrapped(journal.sentence, width, "")),
    ...stepLines(next, width, isSettled(checkup)),
    ...(afterwards === undefined ? [] : stepLines(afterwards, width)),
  ];
}

/** What is known before any session is read. */
export type Installed = Pick<Checkup, "openclaws" | "whyNone" | "gateways">;

/** Formats whether OpenClaw is patched, and the gateways that run; `withCommands` also what changes the first. */
export function patchLines(installed: Installed, width: number, withCommands: boolean): Line[] {
  return [
    ...patchStates(installed).flatMap(({ sentence, tone, root, command }) => [
      ...toned(wrappedSentence(sentence, width), tone),
      ...(root === undefined ? [] : [`  ${printable(root, WHOLE)}`]),
      ...(command === undefined || !withCommands ? [] : [`  ${command}`]),
    ]),
    ...gatewaySentences(installed.gateways).flatMap(({ text, tone }) => toned(wrapped(text, width, ""), tone)),
  ];
}

/**
 * Returns a step as lines: its sentence wrapped, and its command on a line of its own, which is never wrapped.
 * `isDone`: nothing has to be done.
 */
export function stepLines({ sentence, command }: Step, width: number, isDone = false): Line[] {
  const tone = command !== undefined ? "todo" : isDone ? "good" : undefined;
  return [...toned(wrappedSentence(sentence, width), tone), ...(command?.split("\n") ?? []).map((line) => `  ${line}`)];
}

/** A column of the table. `least` is the width to which a column may shrink in a narrow terminal. */
interface Column {
  readonly head: string;
  readonly cell: (session: CheckedSession) => string;
  readonly side?: "right";
  readonly least?: number;
}

function columnsFor(sessions: readonly CheckedSession[], width: number): Column[] {
  const isNarrow = width < MIN_WIDTH_WITH_TIME;
  const isOneAgent = sessions.every(({ session }) => session.agentId === sessions[0]!.session.agentId);
  const columns: (Column & { readonly isNumber?: true })[] = [
    ...(isNarrow && isOneAgent
      ? []
      : [
          {
            head: "agent",
            cell: ({ session }: CheckedSession) => printable(session.agentId, 40),
            least: isNarrow ? 6 : 12,
          },
        ]),
    { head: "conversation", cell: ({ session }) => conversationName(session), least: 10 },
    { head: "state", cell: (session) => (isNarrow ? stateName(session).replace("valid, ", "") : stateName(session)) },
    { head: "messages", cell: ({ examination }) => String(examination?.messages ?? "-"), side: "right" },
    {
      head: "checkpoints",
      cell: ({ checkpoints }) => String(checkpoints?.length ?? "-"),
      side: "right",
      isNumber: true,
    },
    {
      head: "written",
      cell: ({ session }) => (isNarrow ? formatDay(session.updatedAt) : formatMinute(session.updatedAt)),
    },
    { head: "incidents", cell: ({ incidents }) => String(incidents.length), side: "right", isNumber: true },
  ];
  return width < MIN_WIDTH_WITH_NUMBERS ? columns.filter(({ isNumber }) => isNumber !== true) : columns;
}

function table(sessions: readonly CheckedSession[], width: number): string[] {
  const columns = columnsFor(sessions, width);
  const rows = sessions.map((session) => columns.map(({ cell }) => cell(session)));
  const widths = columns.map(({ head }, at) => Math.max(textWidth(head), ...rows.map((row) => textWidth(row[at]!))));
  let excess = Math.max(0, widths.reduce((sum, column) => sum + column + 2, -2) - width);
  for (const [at, { least }] of columns.entries()) {
    if (least === undefined) continue;
    const cut = Math.min(excess, Math.max(0, widths[at]! - least));
    widths[at]! -= cut;
    excess -= cut;
  }
  const line = (cells: readonly string[]): string =>
    cells
      .map((cell, at) => fitted(cell, widths[at]!, columns[at]!.side))
      .join("  ")
      .trimEnd();
  return [
    line(columns.map(({ head }) => head)),
    widths.map((column) => "-".repeat(column)).join("  "),
    ...rows.map(line),
  ];
}

function faultLines({ session, examination, remedy, words = [] }: CheckedSession, width: number): string[] {
  const conversation = session.sessionKey === undefined ? "no conversation" : conversationName(session);
  return [
    ...wrapped(`${printable(session.sessionId, 60)} (${printable(session.agentId, 40)}, ${conversation})`, width),
    ...describeFaults(examination!).flatMap((fault) => wrapped(fault, width, "    ")),
    ...words.map((line) => `    ${line}`),
    ...(remedy?.by === "repair" ? ["    repair it:", `      ${remedy.command}`] : []),
    ...(remedy?.by === "none"
      ? wrapped("needs no repair: its conversation has left this session, and no turn is sent from it", width, "    ")
      : []),
    ...(remedy?.by === "patch"
      ? wrapped("a repair of the store cannot fix this; the patched OpenClaw fixes it in each request", width, "    ")
      : []),
  ];
}

function unreadLines({ session, unread }: CheckedSession, width: number): string[] {
  return wrapped(
    `${printable(session.sessionId, 60)} (${printable(session.agentId, 40)}): ${printable(unread, 300)}`,
    width,
  );
}

function archiveLines(archive: Archive, width: number): string[] {
  const { at, sessionId, messages, size, command } = archive;
  const held =
    messages === undefined
      ? `${Math.max(1, Math.round((size ?? 0) / 1024)).toLocaleString("en")} KB`
      : counted(messages, "message");
  const words = archiveWords(archive);
  return [
    `  ${formatMinute(at)}  session ${shortened(sessionId)}, ${held}`,
    ...(words === "" ? [] : wrapped(words, width, "    ")),
    `    ${command}`,
  ];
}

function incidentLines({ at, sessionId, sessionKey, what, outcome }: Incident, width: number): string[] {
  const whose = sessionKey ?? (sessionId === undefined ? "no session" : shortened(sessionId));
  return wrapped(`${formatMinute(at)}  ${printable(whose)}: ${what}: ${outcome}`, width);
}

function workLines({ sentence, command }: WorkNeed, width: number): string[] {
  return [...wrapped(sentence, width), ...(command === undefined ? [] : [`    ${command}`])];
}

function leftLines({ sessionId, sessionKey }: LeftBehind): string[] {
  const name = [sessionId, sessionKey].filter((part) => part !== undefined);
  const words = name.map((part) => printable(part, 60)).join(", ");
  return [`  ${words}`, "    delete it:", `      ${ownCommand("purge", { argument: name[0]! })}`];
}

function section(head: string, lines: readonly Line[], rest: readonly string[] = []): Line[] {
  return lines.length + rest.length === 0 ? [] : [head, ...lines, ...rest, ""];
}

function more(count: number, noun: string, where?: string): string[] {
  return count <= 0 ? [] : [`  and ${counted(count, noun)} more${where === undefined ? "" : `: ${where}`}`];
}

/** Wraps a sentence. The first line is indented by `indent`, the others by two more columns. */
export function wrapped(text: string, width: number, indent = "  "): string[] {
  const lines: string[] = [];
  let line = indent;
  for (const word of text.split(" ").flatMap((long) => cutWord(long, width - indent.length - 2))) {
    const next = line.trim() === "" ? line + word : `${line} ${word}`;
    if (textWidth(next) <= width || line.trim() === "") {
      line = next;
      continue;
    }
    lines.push(line);
    line = `${indent}  ${word}`;
  }
  return [...lines, line];
}

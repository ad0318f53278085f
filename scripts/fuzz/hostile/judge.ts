/** What must hold of every hostile input, whatever it is. */
import { CodedError } from "../../../src/base/coded-error.ts";
import { Continuity, openSqliteStore } from "../../../src/continuity/index.ts";
import { makeCheckup, renderCheckupPage, reportLines } from "../../../src/doctor/index.ts";
import { gated } from "../../../src/guard/history/gated.ts";
import { examine, scan } from "../../../src/health/index.ts";
import { openJournal } from "../../../src/journal/index.ts";
import { openCatalog, type Catalog, type SessionSummary, type StoredRows } from "../../../src/store/index.ts";
import { parseRows } from "../../../src/store/catalog/parse-rows.ts";
import { drawGraph, historyOfRows, timeline } from "../../../src/timetravel/index.ts";
import { isObject, type JsonObject, isBlank } from "../../../src/transcript/json/json.ts";
import { originOfResult } from "../../../src/transcript/invented.ts";
import { ORIGIN_FIELD } from "../../../src/transcript/origin.ts";
import { repair } from "../../../src/transcript/index.ts";
import { repairEntries } from "../../../src/transcript/entries.ts";
import { OF_HISTORIES, OF_ROWS, OF_TEXTS, OF_VALUES, type Subject } from "../../../harness/growth/subjects.ts";
import type { StoreName } from "./stores.ts";

/** A second for each megabyte, and for what is smaller. */
const MS_PER_MB = 1000;
const TEXT = 4000;
/** Functions that every input goes to; of the others one of so many, by turns. */
const ALWAYS = new Set([
  "the load gate",
  "repair, remove_orphans",
  "repair, reconstruct",
  "repair, truncate",
  "load",
  "examine",
  "history",
  "timeline",
  "graph",
  "a line of a file",
  "classify an error",
]);
const BY_TURNS = 5;

/**
 * What is wrong with how the library takes an input; undefined when nothing is. `turn` chooses which functions it goes
 * to besides those that always get it.
 */
export async function faultOfText(text: string, turn: number): Promise<string | undefined> {
  const { rows } = parseRows(text);
  const messages = rows.flatMap((row) => (isObject(row) && isObject(row.message) ? [row.message] : []));
  const sized = Math.max(1, text.length / 2 ** 20);
  const fault =
    (await faultOfAll(OF_ROWS, [...rows], turn, sized)) ??
    (await faultOfAll(OF_HISTORIES, messages, turn, sized)) ??
    (await faultOfAll(OF_TEXTS, text.slice(0, TEXT), turn, sized)) ??
    (await faultOfAll(OF_VALUES, rows[turn % Math.max(1, rows.length)], turn, sized));
  return fault ?? lossIn(messages);
}

async function faultOfAll<Input>(
  subjects: Readonly<Record<string, Subject<Input>>>,
  input: Input,
  turn: number,
  megabytes: number,
): Promise<string | undefined> {
  for (const [at, [name, make]] of Object.entries(subjects).entries()) {
    if (!ALWAYS.has(name) && (at + turn) % BY_TURNS !== 0) continue;
    const once = async (): Promise<number> => {
      const work = make(input);
      const began = processorMs();
      await work?.();
      return processorMs() - began;
    };
    try {
      // A second try, for a collection of garbage in between.
      if ((await once()) > MS_PER_MB * megabytes && (await once()) > MS_PER_MB * megabytes)
        return `slow: ${name} takes more than ${Math.round(MS_PER_MB * megabytes)} ms`;
    } catch (error) {
      return `thrown: ${name}: ${saidBy(error)}`;
    }
  }
  return undefined;
}

/** What this thread has used of a processor: what else the machine does is not in it. */
function processorMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

function saidBy(error: unknown): string {
  return error instanceof Error ? (error.stack ?? error.message).slice(0, 600) : String(error);
}

/** Texts of the user's, and of tools that answered a call, that are not in what the repair gives. */
function lossIn(messages: readonly JsonObject[]): string | undefined {
  const wanted = [...messages.flatMap(userTexts), ...answersIn(messages)]
    .filter((text) => !isBlank(text))
    .map((text) => JSON.stringify(text.toWellFormed().trim()).slice(1, -1));
  for (const [name, made] of [
    ["repair", repair(messages).messages],
    ["repair, reconstruct", repair(messages, { strategy: "reconstruct" }).messages],
    ["the load gate", gated("anthropic-messages", [...messages])],
  ] as const) {
    const kept = JSON.stringify(made);
    const lost = wanted.find((text) => !kept.includes(text));
    if (lost !== undefined) return `lost: ${name}: ${lost.slice(0, 200)}`;
  }
  return undefined;
}

function userTexts({ role, content }: JsonObject): string[] {
  return role === "user" ? textsIn(content) : [];
}

function textsIn(content: unknown): string[] {
  if (typeof content === "string") return [content];
  return Array.isArray(content)
    ? content.flatMap((block: unknown) =>
        isObject(block) && block.type === "text" && typeof block.text === "string" ? [block.text] : [],
      )
    : [];
}

/** Texts of results whose call stands before them, where neither id is used twice and the turn did not fail. */
function answersIn(messages: readonly JsonObject[]): string[] {
  const calls = new Map<unknown, number>();
  const results = new Map<unknown, JsonObject[]>();
  const early = new Set<unknown>();
  const count = (id: unknown): void => void calls.set(id, (calls.get(id) ?? 0) + 1);
  for (const message of messages) {
    const content: unknown[] = Array.isArray(message.content) ? message.content : [];
    for (const block of content)
      if (isObject(block) && typeof block.id === "string")
        count(
          message.role === "assistant" &&
            block.type === "toolCall" &&
            message.stopReason === "toolUse" &&
            typeof block.name === "string" &&
            isObject(block.arguments)
            ? block.id
            : undefined,
        );
    if (message.role !== "toolResult") continue;
    if (!calls.has(message.toolCallId)) early.add(message.toolCallId);
    results.set(message.toolCallId, [...(results.get(message.toolCallId) ?? []), message]);
  }
  return [...results].flatMap(([id, own]) => {
    const [message] = own;
    if (
      !message ||
      typeof id !== "string" ||
      isBlank(id) ||
      own.length > 1 ||
      calls.get(id) !== 1 ||
      early.has(id) ||
      ORIGIN_FIELD in message ||
      originOfResult(message) !== "real"
    )
      return [];
    return textsIn(message.content);
  });
}

/**
 * What is wrong with how a damaged store is read. Refusals with a code are right; everything else that is thrown is
 * not.
 */
export async function faultOfStore(store: StoreName, stateDir: string, file: string): Promise<string | undefined> {
  const began = processorMs();
  for (const read of READERS[store]) {
    try {
      await read(stateDir, file);
    } catch (error) {
      if (!(error instanceof CodedError)) return `thrown: ${store}: ${saidBy(error)}`;
    }
  }
  const took = processorMs() - began;
  return took > 10 * MS_PER_MB ? `slow: ${store} takes ${Math.round(took)} ms` : undefined;
}

async function drained(all: AsyncIterable<unknown>): Promise<void> {
  for await (const row of all) void row;
}

/** Undefined where SQLite itself refuses; whoever reads a catalog tells that of the session. */
function tryRead(catalog: Catalog, session: SessionSummary): StoredRows | undefined {
  try {
    return catalog.read(session);
  } catch (error) {
    if (error instanceof CodedError || (error as { code?: unknown }).code === "ERR_SQLITE_ERROR") return undefined;
    throw error;
  }
}

type Reader = (stateDir: string, file: string) => unknown;

const READERS: Readonly<Record<StoreName, readonly Reader[]>> = {
  journal: [
    (_stateDir, file) => {
      const journal = openJournal(file, { readOnly: true });
      try {
        return [
          journal.checkpoints.list(),
          journal.checkpoints.list("session-1"),
          journal.incidents.list(),
          journal.cycles.open("session-1"),
        ];
      } finally {
        journal.close();
      }
    },
  ],
  continuity: [
    async (_stateDir, file) => {
      const continuity = new Continuity({ store: openSqliteStore({ file }) });
      try {
        for (const name of await continuity.projects()) {
          const project = await continuity.find(name);
          if (!project) continue;
          for (const ask of [
            () => project.state(),
            () => project.activeWork(),
            () => project.verify(),
            () => drained(project.history()),
          ]) {
            try {
              await ask();
            } catch (error) {
              if (!(error instanceof CodedError)) throw error;
            }
          }
        }
      } finally {
        await continuity.close();
      }
    },
  ],
  agent: [
    async (stateDir) => {
      const catalog = openCatalog(stateDir);
      try {
        const { sessions } = catalog.list();
        for (const session of sessions) {
          const stored = tryRead(catalog, session);
          if (!stored) continue;
          examine(stored, session);
          const history = historyOfRows(
            repairEntries(stored.rows, { sessionId: session.sessionId, cwd: "/" }).entries,
            { overResets: true },
          );
          timeline(history, { most: 30 });
          drawGraph(history);
        }
        await scan(catalog);
        const checkup = await makeCheckup(catalog, { stateDirectory: stateDir, isDrawn: true, withWords: true });
        reportLines(checkup, 100, true);
        renderCheckupPage(checkup, { withWords: true });
      } finally {
        catalog.close();
      }
    },
  ],
};

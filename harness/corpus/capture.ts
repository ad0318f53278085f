/**
 * Writes the captured cases, class r: sessions as real installations stored them, cut to what their faults need. And
 * `healthy/`: some that have no fault, as a control group.
 *
 * Run `node harness/corpus/capture.ts <folder>` with a folder of transcripts (`*.jsonl`) that hold structure only: each
 * text of them is `said N`. Those of the corpus come from stores that people have published. Sessions without a fault,
 * and those whose fault stands between the same kinds of messages as an earlier one, are left out. Files of class r that
 * are not written again are removed.
 */
import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { toConversation, ENTRY_WORDS, VIOLATION_WORDS } from "../../src/health/index.ts";
import { parseRows } from "../../src/store/catalog/parse-rows.ts";
import { isObject, type JsonObject } from "../../src/transcript/json/json.ts";
import { isFailedTurn } from "../../src/transcript/read.ts";
import { validate } from "../../src/transcript/validate.ts";
import { ALL_APIS } from "./builder.ts";
import { isCaptured, outputPath, outputsOnDisk, type CorpusCase } from "./case.ts";

const MAX_ROWS = 200;
/** Turns before the first fault and behind the last one. */
const TURNS_AROUND = 2;
/** How far behind the first fault another one may be that is kept too. */
const REACH = 60;
/** How many rows beside a fault make its form. */
const NEIGHBOURS = 3;
const HEALTHY = fileURLToPath(new URL("healthy/", import.meta.url));
const MAX_HEALTHY = 20;
/** As many features more than others a session must add for each one of its store that is there already. */
const PER_STORE = 3;
const MARKER = /said \d{5}/g;

/** A session, its active path, and what it is at fault with. */
interface Examined {
  readonly rows: readonly unknown[];
  readonly path: readonly JsonObject[];
  readonly messages: readonly JsonObject[];
  /** For each violation its kind and the index of its row in the path. */
  readonly faults: readonly { readonly kind: keyof typeof VIOLATION_WORDS; readonly at: number }[];
  readonly entries: readonly (keyof typeof ENTRY_WORDS)[];
}

function examined(rows: readonly unknown[]): Examined {
  const { path, messages, entries } = toConversation({ rows, unreadable: 0, torn: 0 }, { sessionId: "captured" });
  const places = new Map(path.map((row, at) => [row.message, at]));
  const faults = validate(messages, { spelling: "openclaw" }).map(({ kind, messageIndex }) => ({
    kind,
    at: places.get(messages[messageIndex])!,
  }));
  return { rows, path, messages: messages.filter(isObject), faults, entries };
}

const isUser = (row: unknown): boolean =>
  isObject(row) && row.type === "message" && isObject(row.message) && row.message.role === "user";

const isAnswer = ({ role, provider }: JsonObject): boolean => role === "assistant" && provider !== "openclaw";

/** The rows from a few turns before `first` to a few behind `last`, which begin with a user's message where they can. */
function around<Row>(rows: readonly Row[], first: number, last: number): Row[] {
  const users = rows.flatMap((row, at) => (isUser(row) ? [at] : []));
  const start = users.filter((at) => at <= first).at(-TURNS_AROUND) ?? users[0] ?? 0;
  const end = users.filter((at) => at > last)[TURNS_AROUND - 1] ?? rows.length;
  const from = Math.min(start, first);
  const kept = rows.slice(from, Math.min(end, from + MAX_ROWS - 1));
  // No cut between a call and its result.
  const whole = from + kept.length === end ? kept.length : kept.findLastIndex(isUser);
  return kept.slice(0, whole > first - from ? whole : kept.length);
}

/** The rows in a chain, as they would have been stored without the others. */
function linked(rows: readonly JsonObject[]): JsonObject[] {
  const ids = new Set(rows.map(({ id }) => id));
  const kept = rows.filter(({ type, firstKeptEntryId }) => type !== "compaction" || ids.has(firstKeptEntryId));
  return kept.map((row, at) => ({ ...row, parentId: at === 0 ? null : kept[at - 1]!.id }));
}

/** Cuts a session to what its faults need: once where they are near each other, else once for each kind. */
function* cuts({ rows, path, faults, entries }: Examined): Generator<JsonObject[]> {
  const [header, ...stored] = rows.filter(isObject);
  // Rows without ids are at fault all of them.
  if (entries.includes("old_header")) return yield [header!, ...around(stored, 0, stored.length)];
  if (entries.includes("unknown_parent")) {
    const ids = new Set<unknown>([null, ...stored.map(({ id }) => id)]);
    const lost = stored.findIndex(({ parentId }) => !ids.has(parentId));
    const [first, ...others] = around(stored, lost, lost);
    return yield [header!, { ...first, parentId: null }, ...others];
  }
  const shown = new Set<string>();
  for (const { kind, at: first } of faults) {
    if (shown.has(kind)) continue;
    const near = faults.filter(({ at }) => at >= first && at <= first + REACH);
    for (const one of near) shown.add(one.kind);
    yield [header!, ...linked(around(path, first, near.at(-1)!.at))];
  }
}

const listTexts = ({ content }: JsonObject): string[] =>
  typeof content === "string"
    ? [content]
    : (Array.isArray(content) ? content : []).flatMap((block: unknown) =>
        isObject(block) && block.type === "text" && typeof block.text === "string" ? [block.text] : [],
      );

const callIdsIn = ({ content }: JsonObject): unknown[] =>
  (Array.isArray(content) ? content : []).flatMap((block: unknown) =>
    isObject(block) && block.type === "toolCall" ? [block.id] : [],
  );

/** What people, models and tools said: not what OpenClaw noted itself, and not of turns that failed or lost their call. */
function saidIn({ messages }: Examined): string[] {
  const answers = messages.filter((one) => one.role === "assistant" && !isFailedTurn(one));
  const called = new Set(answers.flatMap(callIdsIn));
  const said = messages.filter(
    (one) =>
      one.role === "user" ||
      (one.role === "toolResult" && called.has(one.toolCallId)) ||
      (answers.includes(one) && one.provider !== "openclaw"),
  );
  return [...new Set(said.flatMap(listTexts).flatMap((text) => text.match(MARKER) ?? []))];
}

/** What a session is at fault with, and the rows around the first fault without their texts, numbers and ids. */
function formKey({ path, faults, entries }: Examined): string {
  const first = faults[0]?.at ?? 0;
  const kinds = new Set([...entries, ...faults.map(({ kind }) => kind)]);
  return [...kinds, ...path.slice(Math.max(0, first - NEIGHBOURS), first + NEIGHBOURS + 1).map(rowForm)].join("\n");
}

function rowForm({ type, message }: JsonObject): unknown {
  if (!isObject(message)) return type;
  const blocks = Array.isArray(message.content) ? message.content : [message.content];
  return [
    message.role,
    message.stopReason,
    ...blocks.map((one: unknown) => (isObject(one) ? one.type : typeof one)),
  ].join(" ");
}

function toCase(id: string, found: Examined): CorpusCase {
  const words = [
    ...found.entries.map((kind) => ENTRY_WORDS[kind].split(":")[0]!),
    ...found.faults.map(({ kind }) => VIOLATION_WORDS[kind]),
  ];
  return {
    id,
    title: `Stored by a real installation: ${[...new Set(words)].join(", ")}`,
    report: "captured",
    reported: "2026-11-26",
    apis: ALL_APIS,
    error: "not recorded: the store does not hold the answers of providers",
    expected: "answered",
    mustReach: saidIn(found),
  };
}

function write(session: string, rows: readonly JsonObject[], found: Examined): void {
  const [id = ""] = [1, 2, 3, 4]
    .map((at) => `r-${session}${at === 1 ? "" : `-${at}`}`)
    .filter((one) => !written.has(one));
  written.add(id);
  mkdirSync(dirname(outputPath(id)), { recursive: true });
  writeFileSync(outputPath(`${id}.jsonl`), rows.map((row) => `${JSON.stringify(row)}\n`).join(""));
  writeFileSync(outputPath(`${id}.case.json`), `${JSON.stringify(toCase(id, found), null, 2)}\n`);
}

/** What OpenClaw and models have put into a session: kinds of rows, messages and blocks, and who wrote them. */
function listFeatures({ path }: Examined): Set<string> {
  const features = new Set<string>([`begins with ${rowForm(path.find(({ type }) => type === "message") ?? {})}`]);
  for (const { type, message } of path) {
    features.add(String(type));
    if (!isObject(message)) continue;
    features.add(`${message.role} ${message.stopReason} ${message.provider}`);
    for (const block of Array.isArray(message.content) ? message.content : [])
      if (isObject(block)) features.add(`${message.role} ${block.type}`);
    if (callIdsIn(message).length > 1) features.add("parallel calls");
  }
  return features;
}

const storeName = (name: string): string => name.slice(0, "store00".length);

/** Writes the sessions that add most to what those before them have, one store after the other. */
function writeHealthy(sessions: ReadonlyMap<string, Examined>): void {
  rmSync(HEALTHY, { recursive: true, force: true });
  mkdirSync(HEALTHY);
  const seen = new Set<string>();
  const left = new Map([...sessions].map(([name, found]) => [name, listFeatures(found)]));
  const ofStore = new Map<string, number>();
  const worth = ([name, features]: [string, Set<string>]): number =>
    [...features].filter((one) => !seen.has(one)).length - (ofStore.get(storeName(name)) ?? 0) * PER_STORE;
  for (let count = 0; count < MAX_HEALTHY; count++) {
    const [best] = [...left].toSorted((one, other) => worth(other) - worth(one));
    if (best === undefined) return;
    const [name, features] = best;
    for (const one of features) seen.add(one);
    ofStore.set(storeName(name), (ofStore.get(storeName(name)) ?? 0) + 1);
    left.delete(name);
    writeFileSync(
      join(HEALTHY, name),
      sessions
        .get(name)!
        .rows.map((row) => `${JSON.stringify(row)}\n`)
        .join(""),
    );
  }
}

const [folder] = process.argv.slice(2);
if (folder === undefined) throw new Error("Name the folder of the transcripts.");
for (const name of outputsOnDisk().filter(isCaptured)) rmSync(outputPath(name));
const forms = new Set<string>();
const written = new Set<string>();
const healthy = new Map<string, Examined>();
for (const name of readdirSync(folder)
  .toSorted()
  .filter((one) => one.endsWith(".jsonl"))) {
  // Numbers of equal length: no text is a part of another.
  const text = readFileSync(join(folder, name), "utf8").replaceAll(
    /said (\d+)/g,
    (_, number: string) => `said ${number.padStart(5, "0")}`,
  );
  const session = examined(parseRows(text).rows);
  if (session.faults.length + session.entries.length === 0) {
    const [header] = session.rows as JsonObject[];
    const beginning = examined([header, ...linked(around(session.path, 0, session.path.length))]);
    if (beginning.faults.length + beginning.entries.length === 0 && beginning.messages.some(isAnswer))
      healthy.set(name, beginning);
  }
  for (const rows of cuts(session)) {
    const found = examined(rows);
    if (found.faults.length + found.entries.length === 0 || forms.has(formKey(found))) continue;
    forms.add(formKey(found));
    write(name.slice(0, -".jsonl".length), rows, found);
  }
}
writeHealthy(healthy);
console.log(`${forms.size} captured sessions`);

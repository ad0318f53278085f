/**
 * What is measured: every public function that takes data of others, every gate and every treatment. A subject makes
 * what it needs of an input and gives back the work that counts.
 */
import { reportLines } from "../../src/doctor/report.ts";
import { drawSession } from "../../src/doctor/drawing/draw-session.ts";
import { renderCheckupPage } from "../../src/doctor/html/page.ts";
import { printable } from "../../src/doctor/printable.ts";
import { quoted, quotedInline, nameInline, unquoted } from "../../src/base/quoted.ts";
import { isCutOff, isCutShort, shortReason } from "../../src/guard/recovery/endings.ts";
import { gated } from "../../src/guard/history/gated.ts";
import { loadTranscript } from "../../src/guard/load/load-transcript.ts";
import { takesNote } from "../../src/guard/recovery/takes-note.ts";
import { planBranch } from "../../src/health/branch.ts";
import { toConversation, examine } from "../../src/health/examine.ts";
import { mend } from "../../src/health/mend.ts";
import { callBlocks } from "../../src/integrity/messages/calls.ts";
import { readGiven } from "../../src/integrity/messages/given-form.ts";
import { toGoogleContent } from "../../src/integrity/messages/google-form.ts";
import { toResponsesItems } from "../../src/integrity/messages/responses-form.ts";
import { storedForm } from "../../src/integrity/messages/stored-form.ts";
import { detectFormat } from "../../src/integrity/sessions/stored-format.ts";
import { withOwnIds } from "../../src/integrity/tools/call-ids.ts";
import { validateMessages } from "../../src/integrity/messages/validate.ts";
import { classifyError, isFilteredAnswer } from "../../src/integrity/recovery/provider-error.ts";
import { repairIn } from "../../src/integrity/messages/native.ts";
import { canonicalJson, contentHash } from "../../src/journal/index.ts";
import { afterStop } from "../../src/recovery/after-stop.ts";
import { asText } from "../../src/recovery/forms/as-text.ts";
import { chooseTreatment } from "../../src/recovery/choose.ts";
import { classify } from "../../src/recovery/errors/classify.ts";
import { collectMarks } from "../../src/recovery/errors/locate.ts";
import { withoutRefused } from "../../src/recovery/withhold.ts";
import { fit } from "../../src/recovery/size/fit.ts";
import { tailText } from "../../src/recovery/forms/tail.ts";
import { listMessageIds, treat, type Treatment } from "../../src/recovery/forms/treatment.ts";
import { callsIn } from "../../src/store/checkpoints/calls-behind.ts";
import { contextPath } from "../../src/store/sessions/context-path.ts";
import { buildTree } from "../../src/store/sessions/entry-tree.ts";
import { hashOfMessages } from "../../src/store/archives/manifest.ts";
import { parseRows } from "../../src/store/catalog/parse-rows.ts";
import { parseSessionId } from "../../src/store/sessions/session-index.ts";
import {
  buildActionLog,
  assertMayMove,
  drawGraph,
  History,
  historyOfRows,
  isClosed,
  NodeHashes,
  operatorCarryoverText,
  resolveTarget,
  askedPlaces,
  timeline,
} from "../../src/timetravel/index.ts";
import type { RouteFact } from "../../src/recovery/route-fact.ts";
import { shapeBody } from "../../src/recovery/routes/body.ts";
import { ofRoute } from "../../src/recovery/routes/shape.ts";
import { leftBehind } from "../../src/timetravel/carry/left.ts";
import { callsAround } from "../../src/timetravel/carry/work.ts";
import { buildCarryover } from "../../src/timetravel/carryover.ts";
import { closedNear } from "../../src/timetravel/closed.ts";
import { collectLabels as marksOfPlaces } from "../../src/timetravel/view/marks.ts";
import { repairEntries } from "../../src/transcript/entries.ts";
import { withOutcomes, type KnownOutcome } from "../../src/transcript/interrupted.ts";
import { isDeeperThan } from "../../src/transcript/json/depth.ts";
import { originOfResult } from "../../src/transcript/invented.ts";
import {
  isObject,
  isWellFormed,
  toArguments,
  toJson,
  wellFormed,
  type JsonObject,
} from "../../src/transcript/json/json.ts";
import { idKey, isCallBlock, readCall, withCallId } from "../../src/transcript/read.ts";
import { repair, validate, type RepairStrategy } from "../../src/transcript/index.ts";
import { plainText, readText } from "../../src/transcript/json/text.ts";
import { check, heal, prepare } from "../../src/wire/index.ts";
import { conformName } from "../../src/wire/turns.ts";
import { isBase64, isPictureUrl } from "../../src/wire/model.ts";
import { APIS, carelessBody } from "../arbitrary/bodies.ts";
import type { SessionSummary } from "../../src/store/index.ts";

/** Makes ready and gives back the work; undefined where the input is none for it. */
export type Subject<Input> = (input: Input) => (() => unknown) | undefined;

type Subjects<Input> = Readonly<Record<string, Subject<Input>>>;

const STRATEGIES: readonly RepairStrategy[] = ["remove_orphans", "reconstruct", "truncate"];
const SESSION = {
  sessionId: "s",
  sessionKey: undefined,
  agentId: "main",
  kind: "file",
  place: "/tmp/s.jsonl",
  isCurrent: true,
  updatedAt: 0,
  watermark: "",
} as const satisfies SessionSummary;

/** The outcome that a journal could know of each call of a history. */
function makeOutcomes(messages: readonly unknown[]): KnownOutcome[] {
  const outcomes: KnownOutcome[] = [];
  for (const message of messages) {
    const content: unknown[] = isObject(message) && Array.isArray(message.content) ? message.content : [];
    for (const block of content) {
      if (isCallBlock(block))
        outcomes.push({
          callId: idKey(readCall(block).id),
          toolName: "read",
          outcome: "interrupted",
          at: 1,
          isInput: () => false,
        });
    }
  }
  return outcomes;
}

function idsIn(messages: readonly unknown[]): string[] {
  return messages.flatMap(listMessageIds);
}

const FACTS: readonly RouteFact[] = [
  { what: "most_pictures", most: 2 },
  { what: "longest_side_of_many", pixels: 100, above: 1 },
  { what: "text_only" },
  { what: "strict_roles" },
  { what: "no_system_role" },
  { what: "no_developer_role" },
];

const TREATMENTS: Readonly<Record<string, (messages: readonly unknown[]) => Treatment>> = {
  calls_as_text: (messages) => ({ kind: "calls_as_text", ids: idsIn(messages) }),
  flat: () => ({ kind: "flat", keepMedia: true }),
  without_thinking: () => ({ kind: "without_thinking" }),
  "without_thinking of calls": (messages) => ({ kind: "without_thinking", ids: idsIn(messages) }),
  without_media: () => ({ kind: "without_media" }),
  fewer_pictures: () => ({ kind: "fewer_pictures", limits: { most: 1, bytes: 50, pixels: 100 } }),
  of_route: () => ofRoute(FACTS),
  one_call_each: () => ({ kind: "one_call_each" }),
  strict_roles: () => ({ kind: "strict_roles" }),
  one_message: () => ({ kind: "one_message" }),
};

/** The calls of a history, as those of one message. */
function numbered(messages: readonly unknown[]): object[] {
  return messages.flatMap(callBlocks).map((block, at) => withCallId(block, `call_${at}`));
}

const PROBLEMS = ["tool_pairing", "role_order", "thinking", "image"] as const;

export const OF_HISTORIES: Subjects<unknown[]> = {
  validate: (messages) => () => validate(messages),
  "validate, OpenClaw's spelling": (messages) => () => validate(messages, { spelling: "openclaw" }),
  ...each(
    STRATEGIES,
    (strategy) => `repair, ${strategy}`,
    (strategy) => (messages: unknown[]) => () => repair(messages, { strategy }),
  ),
  "repair twice": (messages) => {
    const { messages: repaired } = repair(messages);
    return () => repair(repaired);
  },
  "the load gate": (messages) => () => gated("anthropic-messages", messages),
  ...each(
    APIS,
    (api) => `prepare, ${api}`,
    (api) => (messages: unknown[]) => () => prepare(api, messages),
  ),
  ...each(
    APIS,
    (api) => `shapeBody, ${api}`,
    (api) => (messages: unknown[]) => {
      const body = tryBody(api, messages);
      return body && (() => shapeBody(body as Record<string, unknown>, FACTS));
    },
  ),
  ...each(
    APIS,
    (api) => `check and heal, ${api}`,
    (api) => (messages: unknown[]) => {
      const body = tryBody(api, messages);
      return body && (() => (check(api, body), heal(api, body)));
    },
  ),
  "without refused": (messages) => () => withoutRefused(messages, "all"),
  "fit to a budget": (messages) => {
    const ready = prepare("anthropic-messages", messages);
    return () => fit(ready, { characters: 60 });
  },
  "tail of a reset": (messages) => () => tailText(messages, { opening: "[Opening.]" }),
  "after a stop": (messages) => () =>
    afterStop(
      {
        part: "prompt",
        begun: false,
        isSilent: true,
        messages,
      },
      { mayResend: true, wasStopped: false },
    ),
  ...each(
    Object.keys(TREATMENTS),
    (name) => `treat, ${name}`,
    (name) => (messages: unknown[]) => {
      const ready = prepare("anthropic-messages", messages);
      const treatment = TREATMENTS[name]!(ready);
      return () => treat(ready, treatment);
    },
  ),
  ...each(
    PROBLEMS,
    (problem) => `choose a treatment, ${problem}`,
    (problem) => (messages: unknown[]) => {
      const ready = prepare("anthropic-messages", messages);
      const sent = (tryBody("anthropic-messages", ready)?.messages ?? []) as unknown[];
      const ids = idsIn(ready).slice(0, 200);
      return () =>
        chooseTreatment({
          failure: { kind: "history", problem, ids, message: sent.length - 1 },
          messages: ready,
          sent,
        });
    },
  ),
  "choose a treatment, nothing to do": (messages) => {
    const flat = treat(prepare("anthropic-messages", messages), { kind: "flat", keepMedia: true });
    return () =>
      chooseTreatment({ failure: { kind: "history", problem: "tool_pairing", ids: [] }, messages: flat, sent: flat });
  },
  "with outcomes of the journal": (messages) => {
    const outcomes = makeOutcomes(messages);
    return () => withOutcomes(messages, outcomes);
  },
  "mend for the store": (messages) => () => mend(messages, "remove_orphans"),
  "SessionIntegrity's validation": (messages) => () => validateMessages({ format: "anthropic", messages }),
  "SessionIntegrity's repair": (messages) => () => repairIn("anthropic", messages),
  "SessionIntegrity's stored form of a call": (messages) => {
    const message = { role: "assistant" as const, content: numbered(messages) };
    return () => tryOutcome(() => withOwnIds(messages, storedForm("anthropic", message)));
  },
  "SessionIntegrity's format of a file": (messages) => () => detectFormat(messages),
  "SessionIntegrity's reading of chat calls": (messages) => {
    const calls = messages.map((message, at) => {
      return { type: "function", id: `call_${at}`, function: { name: "read", arguments: toJson(message) } };
    });
    return () => readGiven({ role: "assistant", tool_calls: calls }, "anthropic");
  },
  "SessionIntegrity's reading of a response's output": (messages) => {
    const output = messages.flatMap((message, at) => [
      { type: "reasoning", id: `rs_${at}`, summary: [{ type: "summary_text", text: toJson(message) }] },
      { type: "function_call", call_id: `call_${at}`, name: "read", arguments: toJson(message) },
    ]);
    return () => readGiven({ output }, "openclaw");
  },
  "SessionIntegrity's reading of Gemini's parts": (messages) => {
    const parts = messages.map((message) => ({ functionCall: { name: "read", args: { message } } }));
    return () => readGiven({ role: "model", parts }, "openclaw");
  },
  "SessionIntegrity's items for Responses": (messages) => () => messages.map(toResponsesItems),
  "SessionIntegrity's contents for Gemini": (messages) => () => messages.map(toGoogleContent),
  "content hash": (messages) => () => contentHash(messages),
  "archive hash": (messages) => () =>
    hashOfMessages(
      messages.map((message) => ({ type: "message", message })),
      messages.length,
    ),
  "calls behind": (messages) => () =>
    callsIn(
      messages.map((message) => ({ message })),
      [],
    ),
};

export const OF_ROWS: Subjects<unknown[]> = {
  "repair entries": (rows) => () => repairEntries(rows, { sessionId: "s", cwd: "/" }),
  load: (rows) => () => loadTranscript({ entries: rows, sessionId: "s" }),
  "load a bounded part": (rows) => () =>
    loadTranscript({
      entries: rows.slice(-3),
      bounded: { parents: new Map(), opaqueParents: new Map(), activeLeafEntryId: null, firstKeptRanges: new Map() },
      sessionId: "s",
      readAll: () => rows,
    }),
  tree: (rows) => () => buildTree(rows),
  "context path": (rows) => {
    const { path } = buildTree(rows);
    return () => contextPath(path as (JsonObject & { id: string; type: string })[], (entry) => entry);
  },
  examine: (rows) => () => examine({ rows, unreadable: 0, torn: 0 }, SESSION),
  "repair in the store": (rows) => {
    const { messages, path } = toConversation({ rows, unreadable: 0, torn: 0 }, SESSION);
    return () => planBranch(path, messages, mend(messages, "remove_orphans").messages);
  },
  draw: (rows) => () =>
    drawSession({ rows, unreadable: 0, torn: 0 }, SESSION, { checkpoints: [], withWords: true, limit: 1500 }),
  "page and report": (rows) => {
    const drawing = drawSession({ rows, unreadable: 0, torn: 0 }, SESSION, {
      checkpoints: [],
      withWords: true,
      limit: 1500,
    });
    const session = {
      session: SESSION,
      examination: drawing.examination,
      isNew: true,
      checkpoints: [],
      incidents: [],
      archives: [],
      drawing,
    };
    const checkup = {
      at: 0,
      stateDirectory: "/tmp",
      sessions: [session],
      problems: [],
      journal: { checkpoints: [] },
      archives: [],
      incidents: { list: [], older: 0, damaged: 0 },
      leftBehind: [],
      routes: [],
    };
    return () => [renderCheckupPage(checkup, { withWords: true }), reportLines(checkup, 100)];
  },
  "rows of a file": (rows) => {
    const lines = rows.map(toLine).join("\n");
    return () => parseRows(lines);
  },
  "action log": (rows) => () => buildActionLog(rows),
  history: (rows) => () => historyOfRows(rows, { overResets: true }),
  ...ofHistory("timeline", (history) => timeline(history, { most: 30 })),
  ...ofHistory("askedPlaces", (history) => askedPlaces(history, Infinity)),
  ...ofHistory("graph", (history) => drawGraph(history)),
  ...ofHistory("hash of the head", (history) => new NodeHashes(history).hash(history.headId)),
  ...ofHistory("hashes of all nodes", (history) => {
    const hashes = new NodeHashes(history);
    for (const { id } of history.nodes()) hashes.hash(id);
  }),
  ...ofHistory("a place by its hash", (history) => new NodeHashes(history).findNodes("none")),
  ...ofHistory("closed nodes", (history) => history.nodes().filter((node) => isClosed(history, node))),
  ...ofHistory("closed nodes nearby", (history) => closedNear(history, history.nodes().at(-1))),
  ...ofHistory("marks", (history) =>
    marksOfPlaces({ history, references: [], checkpoints: [], actions: [], changed: new Set(["x"]) }, ""),
  ),
  ...ofHistory("what is left behind", (history) => leftBehind(history, { nodeId: null, asked: "root" })),
  ...ofHistory("calls around a place", (history) => callsAround(history, { nodeId: "e0", asked: "e0" })),
  ...ofHistory("carryover", (history) => [
    buildCarryover(history, { nodeId: null, asked: "root" }, "a note"),
    operatorCarryoverText(history, { nodeId: null, asked: "root" }),
  ]),
  ...ofHistory("may move", (history) =>
    tryOutcome(() => assertMayMove(history, { nodeId: null, asked: "root" }, "a note")),
  ),
  ...each(
    ["turn:-1", "turn:-100000", "e0", "nowhere", "root"],
    (asked) => `target ${asked}`,
    (asked) => ofHistory("target", (history) => tryOutcome(() => resolveTarget(history, asked))).target!,
  ),
  "actions and marks": (rows) => {
    const history = historyOfRows(rows, { overResets: true });
    return () =>
      marksOfPlaces({ history, references: [], checkpoints: [], actions: buildActionLog(rows), changed: new Set() });
  },
};

export const OF_TEXTS: Subjects<string> = {
  "classify an error": (text) => () => classify({ text }),
  "classify an error in JSON": (text) => () =>
    classify({ text: JSON.stringify({ error: { message: text, type: text, param: text } }), status: 400 }),
  "classify words with a text behind them": (text) => () =>
    classify({ text: `400 messages.3.content.0: unexpected tool_use_id found: ${text}`, status: 400 }),
  "short reason": (text) => () => shortReason(text),
  "short reason, quoted": (text) => () => shortReason(`{"message": ${JSON.stringify(text)}`),
  "takes a note": (text) => () =>
    takesNote({ role: "assistant", content: [{ type: "text", text }], stopReason: "stop" }),
  "takes a note behind letters": (text) => () =>
    takesNote({ role: "assistant", content: [{ type: "text", text: `A${text}A!x` }], stopReason: "stop" }),
  "cut off": (text) => () =>
    isCutOff({ role: "assistant", content: [{ type: "toolCall", partialJson: text }], stopReason: "toolUse" }),
  "cut short": (text) => () =>
    isCutShort({
      role: "assistant",
      content: [{ type: "toolCall" }],
      stopReason: "error",
      errorMessage: `Expected ${text}`,
    }),
  quoted: (text) => () => unquoted(quoted(text)),
  "quoted in a line": (text) => () => [quotedInline(text), nameInline(text)],
  printable: (text) => () => printable(text),
  "text of a block": (text) => () => [
    readText({ type: "odd", data: text }),
    plainText([{ type: "text", text }]),
    originOfResult({ role: "toolResult", content: text, isError: true }),
  ],
  "name and id of a call": (text) => () =>
    repair(
      [
        { role: "user", content: "hi" },
        { role: "assistant", content: [{ type: "toolCall", id: text, name: text, arguments: text }] },
      ],
      { spelling: "openclaw" },
    ),
  ...each(
    APIS,
    (api) => `body, ${api}`,
    (api) => (text: string) => {
      const messages = [
        { role: "user", content: text },
        {
          role: "assistant",
          content: [
            { type: "toolCall", id: text, name: text, arguments: { text } },
            { type: "thinking", thinking: text, thinkingSignature: text },
          ],
        },
        {
          role: "toolResult",
          toolCallId: text,
          toolName: text,
          content: [
            { type: "text", text },
            { type: "image", data: text, mimeType: text },
          ],
          isError: false,
        },
        { role: "user", content: [{ type: "image", data: text, mimeType: "image/png" }] },
      ];
      const body = tryBody(api, messages)!;
      return () => [check(api, body, { model: text }), heal(api, body, { model: text })];
    },
  ),
  "base64, picture": (text) => () => [
    isBase64(text.padEnd(text.length + 4 - (text.length % 4), "A")),
    isPictureUrl(`data:image/${text};base64,${text}`),
    conformName(text, /^[a-z]+$/, 64),
  ],
  "a line of a file": (text) => () => parseRows(text),
  "name of a file": (text) => () => parseSessionId(text),
  target: (text) => {
    const history = new History([], null);
    return () =>
      ["", "turn:", "branch:", "ref:", "checkpoint:"].map((form) =>
        tryOutcome(() => resolveTarget(history, `${form}${text}`)),
      );
  },
  "failure of an SDK": (text) => () => classifyError({ message: text, status: 400, error: { message: text } }),
};

export const OF_VALUES: Subjects<unknown> = {
  JSON: (value) => () => toJson(value),
  depth: (value) => () => isDeeperThan(value, 200),
  "well-formed": (value) => () => [isWellFormed(value), wellFormed({ value, half: "\ud800" })],
  arguments: (value) => () => toArguments(value),
  text: (value) => () => [readText(value), plainText(value)],
  "canonical JSON": (value) => () => canonicalJson(value),
  words: (value) => () =>
    asText({ role: "assistant", content: [{ type: "toolCall", id: "a", name: "b", arguments: value }, value] }),
  marks: (value) => () => collectMarks(value),
  "failure of an SDK": (value) => () => classifyError({ message: "no", error: value, body: value }),
  "filtered answer": (value) => () => isFilteredAnswer({ choices: value, candidates: [value] }),
  printable: (value) => () => printable(value),
};

function ofHistory(name: string, work: (history: History) => unknown): Subjects<unknown[]> {
  return {
    [name]: (rows) => {
      const history = historyOfRows(repairEntries(rows, { sessionId: "s", cwd: "/" }).entries, { overResets: true });
      return () => work(history);
    },
  };
}

function each<Key, Input>(
  keys: readonly Key[],
  toName: (key: Key) => string,
  make: (key: Key) => Subject<Input>,
): Record<string, Subject<Input>> {
  return Object.fromEntries(keys.map((key) => [toName(key), make(key)]));
}

/** What it gives or throws: a refusal is an answer too. */
function tryOutcome(work: () => unknown): unknown {
  try {
    return work();
  } catch (error) {
    return error;
  }
}

function tryBody(api: (typeof APIS)[number], messages: readonly unknown[]): JsonObject | undefined {
  try {
    return carelessBody(api, messages);
  } catch {
    // The careless adapter itself does not come through everything.
    return undefined;
  }
}

function toLine(row: unknown): string {
  return toJson(row);
}

/** Families of hostile and healthy inputs, each of any size `n`: what grows with it is in the name. */
import { CARRYOVER_TYPE, intentDetails, MOVE_KIND } from "../../src/timetravel/records.ts";
import { STOPPED_ANSWER, STOPPED_REQUEST } from "../../src/recovery/words.ts";
import { MISSING_RESULT_TEXT } from "../../src/transcript/json/text.ts";

type Json = Record<string, unknown>;

const AT = 1_770_000_000_000;

export function user(content: unknown = "hello there, a message of the user"): Json {
  return { role: "user", content, timestamp: AT };
}

export function assistant(content: unknown[], fields: Json = {}): Json {
  return {
    role: "assistant",
    content,
    api: "anthropic-messages",
    provider: "anthropic",
    model: "m",
    stopReason: "stop",
    usage: { input: 1, output: 1, cost: { total: 0 } },
    timestamp: AT,
    ...fields,
  };
}

export function call(id: unknown, input: unknown = { path: "/tmp/a" }): Json {
  return { type: "toolCall", id, name: "read", arguments: input };
}

export function text(words = "an answer of the assistant"): Json {
  return { type: "text", text: words };
}

export function result(id: unknown, content: unknown = [text(`what the tool gave back to ${String(id)}`)]): Json {
  return { role: "toolResult", toolCallId: id, toolName: "read", content, isError: false, timestamp: AT };
}

function synthetic(id: unknown): Json {
  return { ...result(id, [text(MISSING_RESULT_TEXT)]), isError: true };
}

function times<Item>(n: number, make: (at: number) => Item): Item[] {
  return Array.from({ length: n }, (_, at) => make(at));
}

function nested(depth: number, leaf: unknown = "the end"): unknown {
  let value = leaf;
  for (let at = 0; at < depth; at++) value = at % 2 === 0 ? { a: value } : [value];
  return value;
}

/** Lists of messages. */
export const HISTORIES: Readonly<Record<string, (n: number) => unknown[]>> = {
  "healthy turns": (n) => times(n, (at) => (at % 2 === 0 ? user() : assistant([text()]))),
  "healthy tool rounds": (n) => [
    user(),
    ...times(n, (at) => [assistant([call(`toolu_${at}`)], { stopReason: "toolUse" }), result(`toolu_${at}`)]).flat(),
  ],
  "users in a row": (n) => times(n, () => user()),
  "assistants in a row": (n) => [user(), ...times(n, () => assistant([text()]))],
  "calls in one message with their results": (n) => [
    user(),
    assistant(
      times(n, (at) => call(`c${at}`)),
      { stopReason: "toolUse" },
    ),
    ...times(n, (at) => result(`c${at}`)),
    user(),
  ],
  "calls in one message, results in reverse": (n) => [
    user(),
    assistant(
      times(n, (at) => call(`c${at}`)),
      { stopReason: "toolUse" },
    ),
    ...times(n, (at) => result(`c${n - 1 - at}`)),
    user(),
  ],
  "calls in one message without results": (n) => [
    user(),
    assistant(
      times(n, (at) => call(`c${at}`)),
      { stopReason: "toolUse" },
    ),
    user(),
  ],
  "calls with one id in one message": (n) => [
    user(),
    assistant(
      times(n, () => call("same")),
      { stopReason: "toolUse" },
    ),
    ...times(n, () => result("same")),
  ],
  "calls with one id in a row": (n) => [user(), ...times(n, () => [assistant([call("same")]), result("same")]).flat()],
  "open calls with one id": (n) => [user(), ...times(n, () => assistant([call("same")]))],
  "results before their calls": (n) => [
    user(),
    ...times(n, (at) => result(`c${at}`)),
    ...times(n, (at) => assistant([call(`c${at}`)])),
  ],
  "results before their one call": (n) => [
    user(),
    ...times(n, (at) => result("same", [text(`one of many ${at}`)])),
    assistant([call("same")]),
    user(),
  ],
  "results far behind their calls": (n) => [
    user(),
    ...times(n, (at) => assistant([call(`c${at}`)])),
    user(),
    ...times(n, (at) => result(`c${at}`)),
  ],
  "results far behind, in reverse": (n) => [
    user(),
    ...times(n, (at) => assistant([call(`c${at}`)])),
    user(),
    ...times(n, (at) => result(`c${n - 1 - at}`)),
  ],
  orphans: (n) => [user(), ...times(n, (at) => result(`o${at}`)), user()],
  "orphans with one id": (n) => [user(), ...times(n, () => result("same")), user()],
  "further results of one call": (n) => [
    user(),
    assistant([call("same")]),
    ...times(n, (at) => result("same", [text(`result ${at}`)])),
    user(),
  ],
  "invented results of one call": (n) => [
    user(),
    assistant([call("same")]),
    ...times(n, () => synthetic("same")),
    user(),
  ],
  "result blocks of one user message": (n) => [
    user(),
    assistant(times(n, (at) => ({ type: "tool_use", id: `c${at}`, name: "read", input: {} }))),
    user(times(n, (at) => ({ type: "tool_result", tool_use_id: `c${at}`, content: "ok" }))),
  ],
  "result blocks of many user messages": (n) => [
    user(),
    assistant(times(n, (at) => ({ type: "tool_use", id: `c${at}`, name: "read", input: {} }))),
    ...times(n, (at) => user([{ type: "tool_result", tool_use_id: `c${at}`, content: "ok" }, text()])),
  ],
  "odd ids": (n) => [
    user(),
    ...times(n, (at) => [assistant([call(`functions.exec:${at}`)]), result(`functions_exec_${at}`)]).flat(),
    ...times(n, (at) => result({ odd: at })),
  ],
  "ids of Responses": (n) => [
    user(),
    ...times(n, (at) => [assistant([call(`call_${at}|fc_${at}`)]), result(`call_${at}|fc_${at}`)]).flat(),
  ],
  "calls without ids": (n) => [user(), ...times(n, () => [assistant([call(undefined)]), result(undefined)]).flat()],
  "failed turns": (n) => [
    user(),
    ...times(n, (at) => [assistant([call(`c${at}`)], { stopReason: "aborted" }), synthetic(`c${at}`)]).flat(),
  ],
  "cut off calls": (n) => [
    user(),
    assistant(
      times(n, (at) => ({ ...call(`c${at}`), partialJson: '{"a' })),
      { stopReason: "error" },
    ),
    user(),
  ],
  "stopped answers": (n) => times(n, () => [user(), assistant([text(STOPPED_ANSWER)])]).flat(),
  "messages before stopped requests": (n) => [
    ...times(n, () => user()),
    ...times(n, () => assistant([text(STOPPED_REQUEST)])),
  ],
  "requests that were refused and tried again": (n) =>
    times(n, () => [
      user(),
      assistant([text(STOPPED_REQUEST)], {
        openclawIntegrity: { notice: "stopped", withholds: "all", hinted: true },
      }),
    ]).flat(),
  "messages behind one stopped answer": (n) => [
    user(),
    assistant([text(STOPPED_ANSWER)]),
    ...times(n, (at) => [assistant([call(`c${at}`)]), result(`c${at}`)]).flat(),
    user(),
  ],
  "blocks of unknown types": (n) => [user(), assistant(times(n, (at) => ({ type: `odd_${at}`, said: "words" })))],
  "server calls without results": (n) => [
    user(),
    assistant(times(n, (at) => ({ type: "server_tool_use", id: `srvtoolu_${at}`, name: "web_search", input: {} }))),
    user(),
  ],
  "server results without calls": (n) => [
    user(),
    ...times(n, (at) => [
      assistant([{ type: "web_search_tool_result", tool_use_id: `srvtoolu_${at}`, content: [] }]),
      user(),
    ]).flat(),
  ],
  "marks of the cache on nothing": (n) => [
    user(),
    user(times(n, () => [text(), { type: "text", text: "", cache_control: { type: "ephemeral" } }]).flat()),
  ],
  "messages of no kind": (n) => times(n, (at) => [null, at, "words", [1, 2], { role: "odd" }][at % 5]),
  thinking: (n) => [
    user(),
    ...times(n, (at) =>
      assistant([{ type: "thinking", thinking: "hm", thinkingSignature: "c2ln" }, text(`answer ${at}`)]),
    ),
    user(),
  ],
  pictures: (n) => [user(times(n, () => ({ type: "image", data: "aGVsbG8=", mimeType: "image/png" })))],
  "empty messages": (n) => [user(), ...times(n, () => assistant([])), user()],
  "texts with half characters": (n) => [user("\ud800".repeat(n)), assistant([text("a\udc00".repeat(n))])],
  "one long text": (n) => [user("word ".repeat(n)), assistant([text("x".repeat(n))])],
  "one long argument": (n) => [user(), assistant([call("c1", { data: "A".repeat(n) })]), result("c1", "y".repeat(n))],
  "wide arguments": (n) => [
    user(),
    assistant([call("c1", Object.fromEntries(times(n, (at) => [`key${at}`, at])))]),
    result("c1"),
  ],
  "deep arguments": (n) => [user(), assistant([call("c1", nested(n))]), result("c1")],
  "deep details": (n) => [user(), assistant([call("c1")]), { ...result("c1"), details: nested(n) }],
  "a deep unknown block": (n) => [user([nested(n)]), assistant([{ type: "odd", said: nested(n) }])],
  "a deep text": (n) => [user(nested(n)), assistant([{ type: "text", text: nested(n) }])],
  "a deep id": (n) => [user(), assistant([call(nested(n))]), result(nested(n))],
  "many arguments of some depth": (n) => [
    user(),
    ...times(n, (at) => [assistant([call(`c${at}`, nested(30))]), result(`c${at}`)]).flat(),
  ],
};

/** Rows of a stored session. */
export const ROWS: Readonly<Record<string, (n: number) => unknown[]>> = {
  "a chain": (n) => chained(times(n, (at) => (at % 2 === 0 ? user() : assistant([text()])))),
  "a chain of tool rounds": (n) => chained(HISTORIES["healthy tool rounds"]!(n)),
  "one batch": (n) => chained(HISTORIES["calls in one message with their results"]!(n)),
  "one open batch": (n) => chained(HISTORIES["calls in one message without results"]!(n)),
  "batches with one id": (n) => chained(HISTORIES["calls with one id in one message"]!(n)),
  "assistants in a row": (n) => chained(HISTORIES["assistants in a row"]!(n)),
  orphans: (n) => chained(HISTORIES.orphans!(n)),
  "further results of one call": (n) => chained(HISTORIES["further results of one call"]!(n)),
  "no header and no ids": (n) => times(n, () => ({ type: "message", message: user() })),
  "one id for all": (n) => [header(), ...times(n, () => row("same", null, user()))],
  "children before their parents": (n) => [
    header(),
    ...chained(times(n, () => user()))
      .slice(1)
      .toReversed(),
  ],
  "children before their parents, without the first": (n) => [
    header(),
    ...chained(times(n + 1, () => user()))
      .slice(2)
      .toReversed(),
  ],
  "a circle": (n) => [header(), ...times(n, (at) => row(`e${at}`, `e${(at + 1) % n}`, user()))],
  "circles of two": (n) => [header(), ...times(n, (at) => row(`e${at}`, `e${at ^ 1}`, user()))],
  "parents that are not there": (n) => [header(), ...times(n, (at) => row(`e${at}`, `gone${at}`, user()))],
  "branches from one entry": (n) => [
    header(),
    row("root", null, user()),
    ...times(n, (at) => row(`e${at}`, "root", assistant([text()]))),
  ],
  "branches from the end of a chain": (n) => [
    ...chained(times(n, () => user())),
    ...times(n, (at) => row(`b${at}`, `e${n - 1}`, assistant([text()]))),
  ],
  "a branch from each entry": (n) => [
    ...chained(times(n, () => user())),
    ...times(n, (at) => row(`b${at}`, `e${at}`, assistant([text()]))),
  ],
  "branches of branches": (n) => [
    header(),
    row("e0", null, user()),
    ...times(n, (at) => [row(`e${at + 1}`, `e${at}`, user()), row(`b${at}`, `e${at}`, user())]).flat(),
  ],
  "branches of branches, the first one left": (n) => [
    header(),
    row("e0", null, user()),
    ...times(n, (at) => [row(`b${at}`, `e${at}`, user()), row(`e${at + 1}`, `e${at}`, user())]).flat(),
    row("end", "b0", user()),
  ],
  "leaf controls": (n) => [
    ...chained(times(n, () => user())),
    ...times(n, (at) => ({ type: "leaf", id: `l${at}`, parentId: `e${n - 1}`, targetId: `e${n - 1}` })),
  ],
  resets: (n) =>
    chained(times(n, () => user())).flatMap((one, at) =>
      at > 0 && at % 2 === 0 ? [one, { ...(one as Json), type: "reset", id: `r${at}` }] : [one],
    ),
  compactions: (n) =>
    chainedRows(
      times(n, (at) =>
        at % 2 === 0
          ? { type: "message", message: user() }
          : { type: "compaction", summary: "all that was said", firstKeptEntryId: `e${at - 1}`, tokensBefore: 1 },
      ),
    ),
  "notes of OpenClaw's": (n) =>
    chainedRows(
      times(n, (at) =>
        at === 0 ? { type: "message", message: user() } : { type: "model_change", provider: "p", modelId: "m" },
      ),
    ),
  "moves of an agent": (n) => moved(n),
  "moves asked for and not made": (n) =>
    chained([
      user(),
      ...times(n, (at) => [
        assistant([call(`c${at}`)]),
        { ...result(`c${at}`), details: intentDetails({ intentId: `i${at}`, targetId: "e0", asked: "root" }) },
      ]).flat(),
    ]),
  "deep rows": (n) => [
    header(),
    row("e0", null, user()),
    row("e1", "e0", assistant([call("c1", nested(n))])),
    row("e2", "e1", result("c1")),
    { ...row("e3", "e2", user()), extra: nested(n) },
  ],
  "rows of no kind": (n) => times(n, (at) => [null, at, "words", [1, 2], { odd: at }][at % 5]),
  "times of no kind": (n) =>
    chained(times(n, (at) => ({ ...user(), timestamp: [1e300, -1e300, "x", null, "9999999-01-01"][at % 5] }))).map(
      (one, at) => ({ ...(one as Json), timestamp: [1e300, "x", null][at % 3] }),
    ),
};

/** Texts of one class of characters, or of one group that is said again and again. */
export const TEXTS: Readonly<Record<string, (n: number) => string>> = Object.fromEntries(
  [
    ".",
    ". ",
    " ",
    "_",
    '". "',
    "A",
    "A0",
    "a",
    "7",
    "{",
    "}",
    "(",
    ")",
    "[",
    '"',
    "'",
    "`",
    "\\",
    "\n",
    "\t",
    "/",
    "|",
    ":",
    "*",
    "<",
    ">",
    "=",
    "~",
    "#",
    "é",
    "敏",
    "\u2028",
    "\ud800",
    "\u0000",
    "call_",
    "id ",
    "tool_call_id ",
    "toolu_1 ",
    "messages.",
    "messages.1.",
    "model ",
    "exceeds ",
    "tool_call_id ",
    "field ",
    "function call ",
    '"message": "',
    '"message":',
    '{"a":',
    "> ",
    "[openclaw-integrity] ",
    "at ",
    "```",
    "NO_REPLY ",
    "-topic-",
    "import ",
    "0a",
    '="',
    "400 ",
    "is empty",
    "not found",
    "\r\n",
    "<a>",
    "&",
    ",",
    ";",
    "-",
    "+",
    "$",
    "%",
    "^",
    "!",
    "?",
    "@",
  ].map((part) => [JSON.stringify(part), (n: number) => part.repeat(Math.ceil(n / part.length)).slice(0, n)]),
);

/** Any JSON. */
export const VALUES: Readonly<Record<string, (n: number) => unknown>> = {
  "a deep value": (n) => nested(n),
  "deep lists": (n) => times(n, () => 0).reduce<unknown>((value) => [value], 1),
  "a wide object": (n) => Object.fromEntries(times(n, (at) => [`k${at}`, at])),
  "a long list": (n) => times(n, (at) => at),
  "a long text": (n) => "x".repeat(n),
  "many small objects": (n) => times(n, (at) => ({ at, b: [at] })),
  "a ladder of depth and width": (n) => times(Math.ceil(n / 100), () => nested(100)),
};

function header(): Json {
  return { type: "session", version: 3, id: "s", timestamp: "2026-02-05T21:20:00.000Z", cwd: "/" };
}

function row(id: string, parentId: string | null, message: unknown): Json {
  return { type: "message", id, parentId, timestamp: "2026-02-05T21:20:00.000Z", message };
}

function chainedRows(rows: readonly Json[]): Json[] {
  return [
    header(),
    ...rows.map((fields, at) => ({
      id: `e${at}`,
      parentId: at === 0 ? null : `e${at - 1}`,
      timestamp: "2026-02-05T21:20:00.000Z",
      ...fields,
    })),
  ];
}

function chained(messages: readonly unknown[]): Json[] {
  return chainedRows(messages.map((message) => ({ type: "message", message })));
}

function moved(n: number): Json[] {
  const rows: Json[] = [header(), row("e0", null, user())];
  let leaf = "e0";
  for (let at = 0; at < n; at++) {
    const tail = [
      row(`a${at}`, leaf, assistant([call(`c${at}`)])),
      row(`t${at}`, `a${at}`, {
        ...result(`c${at}`),
        details: { kind: MOVE_KIND, intentId: `i${at}`, targetId: "e0", asked: "root" },
      }),
    ];
    const details = { intentId: `i${at}`, departureId: `t${at}`, targetId: "e0", by: "agent" };
    rows.push(...tail, {
      type: "custom_message",
      id: `m${at}`,
      parentId: "e0",
      timestamp: "2026-02-05T21:20:00.000Z",
      customType: CARRYOVER_TYPE,
      content: "a note",
      display: true,
      details,
    });
    leaf = `m${at}`;
  }
  return rows;
}

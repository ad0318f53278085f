/**
 * Request bodies with the tools of Anthropic's server, with every type of call on Responses, and for models on Bedrock
 * with rules of their own. What is said carries a mark: `t7 end` in words, `c7 end` in a call and `r7 end` in the
 * result of that call.
 */
import { Draw } from "./draw.ts";

type Json = Record<string, unknown>;

/**
 * A block of a message of this role, or an item, with what it must stay together with only loosely: anything may be
 * moved.
 */
export interface Entry {
  /** The role of the message that holds the block; undefined for an item of its own. */
  role?: string;
  block: Json;
}

const CLAUDE = "anthropic.claude-opus-4-5";

/** The APIs that have such families, with models that their rules go by. */
export const FAMILY_MODELS = {
  "anthropic-messages": ["claude-opus-4-5", "kimi-k2"],
  "openai-responses": ["gpt-5.2"],
  "bedrock-converse-stream": [
    CLAUDE,
    "us.meta.llama3-3-70b-instruct-v1:0",
    "mistral.mistral-large-2402-v1:0",
    "us.amazon.nova-pro-v1:0",
  ],
} as const;

export type FamilyApi = keyof typeof FAMILY_MODELS;

class Marks {
  #next = 0;
  next(): number {
    return this.#next++;
  }
}

/** A healthy conversation of so many turns, ending in one of the ways in which a request may end. */
export function healthyEntries(api: FamilyApi, draw: Draw, turns: number): Entry[] {
  const marks = new Marks();
  const turn = TURNS[api];
  const entries = Array.from({ length: turns }, () => turn(draw, marks)).flat();
  return [...entries, ...ENDS[api](draw, marks)];
}

/** The body that holds these entries; neighbours of one role share a message. */
export function buildBody(api: FamilyApi, model: string, entries: readonly Entry[], thinking = false): Json {
  if (api === "openai-responses") return { model, store: false, input: entries.map(({ block }) => block) };
  const messages: { role: string; content: Json[] }[] = [];
  for (const { role = "user", block } of entries) {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(block);
    else messages.push({ role, content: [block] });
  }
  if (api === "anthropic-messages") return { model, max_tokens: 100, messages };
  return {
    modelId: model,
    messages,
    ...(thinking ? { additionalModelRequestFields: { thinking: { type: "enabled" } } } : {}),
  };
}

// ---- Anthropic

const user = (block: Json): Entry => ({ role: "user", block });
const assistant = (block: Json): Entry => ({ role: "assistant", block });
const words = (marks: Marks): Json => ({ type: "text", text: `words t${marks.next()} end` });
const thought = (marks: Marks): Json => ({
  type: "thinking",
  thinking: `thought t${marks.next()} end`,
  signature: "c2ln",
});

function clientPair(mark: number): [Json, Json] {
  const id = `toolu_${mark}`;
  return [
    { type: "tool_use", id, name: "exec", input: { command: `c${mark} end` } },
    { type: "tool_result", tool_use_id: id, content: [{ type: "text", text: `r${mark} end` }] },
  ];
}

const SERVER_TOOLS: [name: string, result: string, content: (text: string) => unknown][] = [
  [
    "web_search",
    "web_search_tool_result",
    (text) => [{ type: "web_search_result", title: text, url: "https://a.example", encrypted_content: "abc" }],
  ],
  [
    "web_fetch",
    "web_fetch_tool_result",
    (text) => ({ type: "web_fetch_result", url: "https://a.example", content: { type: "document", title: text } }),
  ],
  [
    "code_execution",
    "code_execution_tool_result",
    (text) => ({ type: "code_execution_result", stdout: text, stderr: "", return_code: 0, content: [] }),
  ],
  [
    "bash_code_execution",
    "bash_code_execution_tool_result",
    (text) => ({ type: "bash_code_execution_result", stdout: text, stderr: "", return_code: 0, content: [] }),
  ],
  ["advisor", "advisor_tool_result", (text) => ({ type: "advisor_result", text })],
  [
    "tool_search_tool_regex",
    "tool_search_tool_result",
    (text) => ({
      type: "tool_search_tool_search_result",
      tool_references: [{ type: "tool_reference", tool_name: text }],
    }),
  ],
];

function serverPair(draw: Draw, mark: number): [Json, Json] {
  if (draw.next(5) === 0) {
    const id = `mcptoolu_${mark}`;
    return [
      { type: "mcp_tool_use", id, name: "list", server_name: "tickets", input: { query: `c${mark} end` } },
      { type: "mcp_tool_result", tool_use_id: id, is_error: false, content: [{ type: "text", text: `r${mark} end` }] },
    ];
  }
  const [name, type, content] = draw.pick(SERVER_TOOLS);
  const id = `srvtoolu_${mark}`;
  return [
    { type: "server_tool_use", id, name, input: { query: `c${mark} end` } },
    { type, tool_use_id: id, content: content(`r${mark} end`) },
  ];
}

function anthropicTurn(draw: Draw, marks: Marks): Entry[] {
  const asked = user(words(marks));
  const [call, result] = serverPair(draw, marks.next());
  const [clientCall, clientResult] = clientPair(marks.next());
  const [inner, innerResult] = serverPair(draw, marks.next());
  const answered = assistant(words(marks));
  const before = [
    ...(draw.next(2) ? [assistant(thought(marks))] : []),
    ...(draw.next(2) ? [assistant(words(marks))] : []),
  ];
  const shapes: (() => Entry[])[] = [
    () => [assistant(call), assistant(result)],
    () => [assistant(call), assistant(inner), assistant(innerResult), assistant(result)],
    () => [assistant(call), assistant(result), assistant(clientCall), user(clientResult)],
    () => [assistant(call), assistant(clientCall), user(clientResult), assistant(result)],
    () => [assistant(clientCall), user(clientResult), assistant(call), assistant(result)],
    () => [assistant(clientCall), user(clientResult)],
  ];
  return [asked, ...before, ...draw.pick(shapes)(), answered];
}

function anthropicEnd(draw: Draw, marks: Marks): Entry[] {
  const [call] = serverPair(draw, marks.next());
  const [clientCall, clientResult] = clientPair(marks.next());
  const ends: Entry[][] = [
    [],
    [assistant(words(marks)), assistant(call)],
    [assistant(call), assistant(clientCall), user(clientResult)],
  ];
  return [user(words(marks)), ...draw.pick(ends)];
}

// ---- Responses

const item = (block: Json): Entry => ({ block });
const says = (marks: Marks): Json => ({
  type: "message",
  role: "user",
  content: [{ type: "input_text", text: `words t${marks.next()} end` }],
});
const replies = (marks: Marks): Json => {
  const mark = marks.next();
  return {
    type: "message",
    role: "assistant",
    id: `msg_${mark}`,
    status: "completed",
    content: [{ type: "output_text", text: `words t${mark} end`, annotations: [] }],
  };
};
const easyReply = (marks: Marks): Json => ({ role: "assistant", content: `words t${marks.next()} end` });
const reasons = (marks: Marks): Json => {
  const mark = marks.next();
  return { type: "reasoning", id: `rs_${mark}`, summary: [{ type: "summary_text", text: `thought t${mark} end` }] };
};

type Maker = (id: string, call: string, result: string) => [Json, Json];

const ITEM_PAIRS: Maker[] = [
  (id, call, result) => [
    { type: "function_call", id: `fc_${id}`, call_id: id, name: "exec", arguments: JSON.stringify({ command: call }) },
    { type: "function_call_output", call_id: id, output: result },
  ],
  (id, call, result) => [
    { type: "custom_tool_call", id: `ctc_${id}`, call_id: id, name: "apply_patch", input: call },
    { type: "custom_tool_call_output", call_id: id, output: result },
  ],
  (id, call, result) => [
    {
      type: "local_shell_call",
      id: `lsh_${id}`,
      call_id: id,
      status: "completed",
      action: { type: "exec", command: [call], env: {} },
    },
    { type: "local_shell_call_output", call_id: id, output: result },
  ],
  (id, call, result) => [
    { type: "shell_call", id: `sh_${id}`, call_id: id, status: "completed", action: { commands: [call] } },
    {
      type: "shell_call_output",
      call_id: id,
      output: [{ stdout: result, stderr: "", outcome: { type: "exit", exit_code: 0 } }],
    },
  ],
  (id, call, result) => [
    {
      type: "apply_patch_call",
      id: `apc_${id}`,
      call_id: id,
      status: "completed",
      operation: { type: "delete_file", path: call },
    },
    { type: "apply_patch_call_output", call_id: id, status: "completed", output: result },
  ],
  (id, call, result) => [
    {
      type: "computer_call",
      id: `cu_${id}`,
      call_id: id,
      status: "completed",
      action: { type: "type", text: call },
      pending_safety_checks: [],
    },
    { type: "computer_call_output", call_id: id, output: { type: "computer_screenshot", file_id: result } },
  ],
  (id, call, result) => [
    {
      type: "tool_search_call",
      id: `tsc_${id}`,
      call_id: id,
      execution: "client",
      status: "completed",
      arguments: { query: call },
    },
    {
      type: "tool_search_output",
      call_id: id,
      execution: "client",
      status: "completed",
      tools: [{ type: "function", name: result }],
    },
  ],
];

/** A call of any type and its output. */
function itemPair(draw: Draw, id: string, mark: number): [Json, Json] {
  return draw.pick(ITEM_PAIRS)(id, `c${mark} end`, `r${mark} end`);
}

function responsesTurn(draw: Draw, marks: Marks): Entry[] {
  const makePair = (): [Json, Json] => {
    const mark = marks.next();
    return itemPair(draw, `call_${mark}`, mark);
  };
  const [call, output] = makePair();
  const [other, otherOutput] = makePair();
  const shapes: (() => Json[])[] = [
    () => [call, output],
    () => [call, other, otherOutput, output],
    () => [reasons(marks), call, output],
    () => [call, { type: "compaction", id: `cmp_${marks.next()}`, encrypted_content: "abc" }, output],
    () => [
      {
        type: "mcp_call",
        id: `mcp_${marks.next()}`,
        server_label: "tickets",
        name: "list",
        arguments: "{}",
        output: `t${marks.next()} end`,
      },
    ],
    () => [
      { type: "tool_search_call", call_id: null, execution: "server", arguments: {} },
      { type: "tool_search_output", call_id: null, execution: "server", tools: [] },
    ],
    () => [reasons(marks), replies(marks)],
    () => [easyReply(marks)],
  ];
  return [says(marks), ...draw.pick(shapes)(), replies(marks)].map(item);
}

// ---- Bedrock

const text = (marks: Marks): Json => ({ text: `words t${marks.next()} end` });

function bedrockTurn(draw: Draw, marks: Marks): Entry[] {
  const pairs = Array.from({ length: 1 + draw.next(3) }, (): [Json, Json] => {
    const mark = marks.next();
    const toolUseId = `tooluse_${mark}`;
    return [
      { toolUse: { toolUseId, name: "exec", input: { command: `c${mark} end` } } },
      { toolResult: { toolUseId, content: [{ text: `r${mark} end` }], status: "success" } },
    ];
  });
  const mark: Entry[] = draw.next(3) ? [] : [user({ cachePoint: { type: "default" } })];
  return [
    user(text(marks)),
    ...mark,
    ...pairs.map(([call]) => assistant(call)),
    ...pairs.map(([, result]) => user(result)),
    assistant(text(marks)),
  ];
}

/** Documents and pictures that may stand beside results, or may not, by the model. */
const BESIDE: readonly Json[] = [
  { document: { name: "list", format: "csv", source: { bytes: "aGVsbG8=" } } },
  { document: { name: "list", format: "pdf", source: { bytes: "aGVsbG8=" } } },
  { video: { format: "mp4", source: { bytes: "aGVsbG8=" } } },
  { text: "words t9000 end" },
  { cachePoint: { type: "default" } },
  { text: " " },
];

const TURNS: Record<FamilyApi, (draw: Draw, marks: Marks) => Entry[]> = {
  "anthropic-messages": anthropicTurn,
  "openai-responses": responsesTurn,
  "bedrock-converse-stream": bedrockTurn,
};

const ENDS: Record<FamilyApi, (draw: Draw, marks: Marks) => Entry[]> = {
  "anthropic-messages": anthropicEnd,
  "openai-responses": (_draw, marks) => [item(says(marks))],
  "bedrock-converse-stream": (_draw, marks) => [user(text(marks))],
};

// ---- damage

const FOREIGN: Record<FamilyApi, readonly Json[]> = {
  "anthropic-messages": [
    { type: "text", text: "", cache_control: { type: "ephemeral" } },
    { type: "text", text: " " },
    {
      type: "browser_tool_result",
      tool_use_id: "srvtoolu_0",
      content: "t9001 end",
      cache_control: { type: "ephemeral" },
    },
    { type: "server_tool_use", id: "call_foreign", name: "analyze_image", input: { query: "t9002 end" } },
    { type: "server_tool_use", name: "web_search" },
    { type: "web_search_tool_result", tool_use_id: "srvtoolu_nowhere", content: [{ title: "t9003 end" }] },
    {
      type: "tool_use",
      id: "toolu_more",
      name: "exec",
      input: { command: "t9004 end" },
      caller: { type: "code_execution_20260120", tool_id: "srvtoolu_0" },
    },
  ],
  "openai-responses": [
    { type: "compaction", encrypted_content: "abc" },
    { type: "custom_tool_call", call_id: "call_odd", name: "odd tool", input: { words: "t9001 end" } },
    { type: "local_shell_call", call_id: "call_bare", action: "t9002 end" },
    { type: "shell_call_output", call_id: "call_nowhere", output: "t9003 end" },
    {
      type: "computer_call_output",
      call_id: "call_nowhere",
      output: { type: "computer_screenshot", file_id: "t9004 end" },
    },
    { type: "function_call", call_id: "call_done", name: "exec", arguments: "{}", status: "done" },
    { role: "user", content: "t9005 end" },
  ],
  "bedrock-converse-stream": BESIDE,
};

type Damage = (entries: Entry[], draw: Draw, api: FamilyApi) => void;

const DAMAGES: Damage[] = [
  (entries, draw) => void entries.splice(draw.next(entries.length), 1),
  (entries, draw) => void entries.splice(0, draw.next(entries.length)),
  (entries, draw) => void entries.splice(1 + draw.next(entries.length)),
  (entries, draw) => {
    const [moved] = entries.splice(draw.next(entries.length), 1);
    if (moved) entries.splice(draw.next(entries.length + 1), 0, moved);
  },
  (entries, draw) => {
    const copied = entries[draw.next(entries.length)];
    if (copied) entries.splice(draw.next(entries.length + 1), 0, structuredClone(copied));
  },
  (entries, draw, api) => {
    const role = draw.pick(["user", "assistant"]);
    entries.splice(draw.next(entries.length + 1), 0, {
      ...(api === "openai-responses" ? {} : { role }),
      block: structuredClone(draw.pick(FOREIGN[api])),
    });
  },
];

/** Damages the entries in place, once for each number. */
export function damage(api: FamilyApi, entries: Entry[], draw: Draw, times: number): void {
  for (let time = 0; time < times && entries.length > 0; time++) draw.pick(DAMAGES)(entries, draw, api);
}

/**
 * Responses with ids that begin again behind a compaction. Before it any call or output may be gone, behind it outputs
 * only: so the marks say of each output whose it is.
 */
export function idsBeginAgain(draw: Draw, pairs: number): Json {
  const before: Json[] = [];
  const behind: Json[] = [];
  for (let mark = 0; mark < pairs; mark++) {
    const [call, output] = itemPair(draw, `call_${mark}`, mark);
    if (draw.next(2)) before.push(call);
    if (draw.next(2)) before.push(output);
    const [newCall, newOutput] = itemPair(draw, `call_${mark}`, 100 + mark);
    behind.push(newCall);
    if (draw.next(2)) behind.push(newOutput);
  }
  const compaction = { type: "compaction", encrypted_content: "abc" };
  return {
    model: "gpt-5.2",
    input: [{ role: "user", content: "go" }, ...before, compaction, ...behind, { role: "user", content: "and?" }],
  };
}

/**
 * Responses whose calls and messages say in their ids which reasoning they were made with, as the strict provider knows
 * them. Outputs and the user's words are damaged only: of what stands apart from its reasoning nobody but the server
 * can know that it does.
 */
export function reasonedBody(draw: Draw, turns: number, times: number): Json {
  const marks = new Marks();
  const input: Json[] = [];
  for (let turn = 0; turn < turns; turn++) {
    input.push(says(marks));
    const run = marks.next();
    input.push({ ...reasons(marks), id: `rs_paired_${run}` });
    const pairs = Array.from({ length: draw.next(3) }, (_, at): [Json, Json] => {
      const mark = marks.next();
      const [call, output] = draw.pick(ITEM_PAIRS.slice(0, 2))(`call_${mark}`, `c${mark} end`, `r${mark} end`);
      return [
        {
          ...call,
          type: "function_call",
          name: "exec",
          arguments: `{"command":"c${mark} end"}`,
          input: undefined,
          id: `fc_paired_${run}_${at}`,
        },
        { ...output, type: "function_call_output" },
      ];
    });
    for (const [call] of pairs) input.push(JSON.parse(JSON.stringify(call)) as Json);
    for (const [, output] of pairs) input.push(output);
    if (pairs.length === 0) input.push({ ...replies(marks), id: `msg_paired_${run}_0` });
    else input.push(replies(marks));
  }
  input.push(says(marks));
  for (let time = 0; time < times; time++) {
    const loose = input.flatMap(({ type, role }, at) =>
      type === "function_call_output" || role === "user" ? [at] : [],
    );
    if (loose.length === 0) break;
    const at = loose[draw.next(loose.length)]!;
    const to = draw.next(input.length + 1);
    if (draw.next(3) === 0) input.splice(at, 1);
    else if (draw.next(2)) input.splice(to, 0, structuredClone(input[at] ?? {}));
    else input.splice(to, 0, ...input.splice(at, 1));
  }
  return { model: "gpt-5.2", store: false, input };
}

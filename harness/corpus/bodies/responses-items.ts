/** Calls of built-in and custom tools on OpenAI Responses, compaction, and reasoning. */
import { READ, replies, responsesBody, says, type BodyCase, type Json } from "./case.ts";

const common = { api: "openai-responses", model: "gpt-5.2" } as const;
const LOCAL_SHELL = "developers.openai.com/api/docs/guides/tools-local-shell";
const SHELL = "developers.openai.com/api/docs/guides/tools-shell";
const APPLY_PATCH = "developers.openai.com/api/docs/guides/tools-apply-patch";
const COMPUTER = "developers.openai.com/api/docs/guides/tools-computer-use";
const TOOL_SEARCH = "developers.openai.com/api/docs/guides/tools-tool-search";
const COMPACTION = "developers.openai.com/api/docs/guides/compaction.md";
const UNKNOWN =
  "[No result of this tool call was recorded. Its outcome is unknown: it may have run. Check before repeating it.]";
const PIXEL =
  "data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNkYPhfDwAChwGA60e6kgAAAABJRU5ErkJggg==";

const localShell = (id: string): Json => ({
  type: "local_shell_call",
  id: `lsh_${id}`,
  call_id: id,
  status: "completed",
  action: { type: "exec", command: ["ls"], env: {} },
});
const shell = (id: string): Json => ({
  type: "shell_call",
  id: `sh_${id}`,
  call_id: id,
  status: "completed",
  action: { commands: ["uptime"], timeout_ms: 1000, max_output_length: 4096 },
});
const shellOutput = (id: string, stdout: string): Json => ({
  type: "shell_call_output",
  call_id: id,
  max_output_length: 4096,
  output: [{ stdout, stderr: "", outcome: { type: "exit", exit_code: 0 } }],
});
const patch = (id: string): Json => ({
  type: "apply_patch_call",
  id: `apc_${id}`,
  call_id: id,
  status: "completed",
  operation: { type: "update_file", path: "src/app.ts", diff: "@@\n-a\n+b" },
});
const computer = (id: string): Json => ({
  type: "computer_call",
  id: `cu_${id}`,
  call_id: id,
  status: "completed",
  action: { type: "click", button: "left", x: 4, y: 8 },
  pending_safety_checks: [],
});
const screenshot = (id: string): Json => ({
  type: "computer_call_output",
  call_id: id,
  output: { type: "computer_screenshot", image_url: PIXEL },
});
const search = (id: string): Json => ({
  type: "tool_search_call",
  id: `tsc_${id}`,
  call_id: id,
  execution: "client",
  status: "completed",
  arguments: { query: "ship" },
});
const custom = (id: string, input: unknown): Json => ({
  type: "custom_tool_call",
  id: `ctc_${id}`,
  call_id: id,
  name: "apply_patch",
  input,
});
const call = (id: string): Json => ({
  type: "function_call",
  call_id: id,
  name: "exec",
  arguments: '{"command":"date"}',
});
const output = (id: string, words: string): Json => ({ type: "function_call_output", call_id: id, output: words });
const reasoning: Json = {
  type: "reasoning",
  id: "rs_1",
  summary: [{ type: "summary_text", text: "counting the letters" }],
};

/** A fault of another kind, so that the body is written anew: what is healthy in it stays as it is. */
const FAULT = call("call_open");
const FAULT_REFUSED = "No tool output found for function call call_open.";
const FAULT_HEALED = [FAULT, output("call_open", UNKNOWN)];

const healthyPairs: Json[] = [
  localShell("call_l"),
  { type: "local_shell_call_output", call_id: "call_l", output: '{"stdout":"local listing"}' },
  shell("call_s"),
  shellOutput("call_s", "up 4 days"),
  patch("call_p"),
  { type: "apply_patch_call_output", call_id: "call_p", status: "completed", output: "patched app.ts" },
  computer("call_c"),
  screenshot("call_c"),
  search("call_t"),
  {
    type: "tool_search_output",
    call_id: "call_t",
    execution: "client",
    status: "completed",
    tools: [{ type: "function", name: "get_shipping_eta", parameters: {} }],
  },
  custom("call_x", "*** Begin Patch\n*** End Patch"),
  { type: "custom_tool_call_output", call_id: "call_x", output: "custom done" },
  { type: "mcp_call", id: "mcp_1", server_label: "tickets", name: "list", arguments: "{}", output: "ticket 4711" },
];

export const responsesItems: BodyCase[] = [
  {
    ...common,
    id: "responses-pairs-of-every-type",
    title: "Calls of every built-in and custom tool with their outputs",
    report: "developers.openai.com/docs/api-reference/responses",
    reported: READ,
    body: responsesBody(says("do it all"), ...healthyPairs, replies("All done."), says("thanks")),
    mustReach: ["local listing", "up 4 days", "patched app.ts", "get_shipping_eta", "custom done", "ticket 4711"],
  },
  {
    ...common,
    id: "responses-pairs-of-every-type-beside-a-fault",
    title: "The same pairs in a body with a fault elsewhere: each stays in its own type",
    report: "developers.openai.com/docs/api-reference/responses",
    also: ["diegosouzapw/OmniRoute#13122"],
    reported: READ,
    refusal: FAULT_REFUSED,
    body: responsesBody(says("do it all"), ...healthyPairs, replies("All done."), says("thanks"), FAULT),
    sent: [says("do it all"), ...healthyPairs, replies("All done."), says("thanks"), ...FAULT_HEALED],
    mustReach: ["local listing", "up 4 days", "patched app.ts", "get_shipping_eta", "custom done", "ticket 4711"],
  },
  {
    ...common,
    id: "responses-local-shell-without-output",
    title: "A local shell's call that nobody answered",
    report: "openai/openai-agents-python#1855",
    also: [LOCAL_SHELL],
    reported: "2025-10-04",
    refusal: "No tool output found for local shell call call_l.",
    body: responsesBody(says("list"), localShell("call_l"), says("hello?")),
    sent: [
      says("list"),
      localShell("call_l"),
      { type: "local_shell_call_output", call_id: "call_l", output: UNKNOWN },
      says("hello?"),
    ],
    mustReach: ["call_l"],
  },
  {
    ...common,
    id: "responses-local-shell-output-names-its-call-in-id",
    title: "The output names its call in `id`, as the SDK's types say, where the server does not look",
    report: "openai/openai-agents-python#1855",
    reported: "2025-10-04",
    refusal: "No tool output found for local shell call call_l.",
    body: responsesBody(says("list"), localShell("call_l"), {
      type: "local_shell_call_output",
      id: "call_l",
      output: "local listing",
    }),
    sent: [
      says("list"),
      localShell("call_l"),
      { type: "local_shell_call_output", call_id: "call_l", output: "local listing" },
    ],
    mustReach: ["local listing"],
    mustNotReach: [UNKNOWN],
  },
  {
    ...common,
    id: "responses-shell-without-output",
    title: "A shell's call that nobody answered: no exit code is made up",
    report: SHELL,
    reported: READ,
    refusal: "No tool output found for shell call call_s.",
    body: responsesBody(says("uptime"), shell("call_s"), says("hello?")),
    sent: [
      says("uptime"),
      shell("call_s"),
      {
        type: "shell_call_output",
        call_id: "call_s",
        output: [{ stdout: "", stderr: UNKNOWN, outcome: { type: "timeout" } }],
        status: "incomplete",
      },
      says("hello?"),
    ],
    mustReach: ["call_s"],
    mustNotReach: ["exit_code"],
  },
  {
    ...common,
    id: "responses-apply-patch-without-output",
    title: "A patch that nobody reported on",
    report: APPLY_PATCH,
    also: ["smg-project/smg#1339"],
    reported: READ,
    refusal: "No tool output found for apply patch call call_p.",
    body: responsesBody(says("patch"), patch("call_p"), says("hello?")),
    sent: [
      says("patch"),
      patch("call_p"),
      { type: "apply_patch_call_output", call_id: "call_p", status: "failed", output: UNKNOWN },
      says("hello?"),
    ],
    mustReach: ["src/app.ts"],
  },
  {
    ...common,
    id: "responses-computer-call-without-screenshot",
    title: "A click of which there is no screenshot: no picture is made up, the call goes out in words",
    report: COMPUTER,
    also: ["langchain-ai/langchain#37939"],
    reported: READ,
    refusal: "No tool output found for computer call call_c.",
    body: responsesBody(says("click"), computer("call_c"), says("hello?")),
    mustReach: ["click", "computer"],
    mustNotReach: ["computer_call", "image_url"],
  },
  {
    ...common,
    id: "responses-tool-search-without-output",
    title: "A search of tools that the client did not answer",
    report: TOOL_SEARCH,
    reported: READ,
    refusal: "No tool output found for tool search call call_t.",
    body: responsesBody(says("ship"), search("call_t"), says("hello?")),
    sent: [
      says("ship"),
      search("call_t"),
      { type: "tool_search_output", call_id: "call_t", tools: [], execution: "client", status: "incomplete" },
      says("hello?"),
    ],
    mustReach: ["call_t"],
  },
  {
    ...common,
    id: "responses-tool-search-of-the-server",
    title: "A search of tools that the server carried out has no call_id, and needs none",
    report: TOOL_SEARCH,
    reported: READ,
    body: responsesBody(
      says("ship"),
      {
        type: "tool_search_call",
        id: "tsc_1",
        call_id: null,
        execution: "server",
        status: "completed",
        arguments: { paths: ["crm"] },
      },
      { type: "tool_search_output", id: "tso_1", call_id: null, execution: "server", status: "completed", tools: [] },
      replies("Found."),
      says("go"),
    ),
    mustReach: ["Found."],
  },
  {
    ...common,
    id: "responses-custom-call-without-output",
    title: "A custom tool's call lost its output when a proxy compressed the history",
    report: "diegosouzapw/OmniRoute#8946",
    reported: "2026-07-30",
    refusal: "No tool output found for custom tool call call_x.",
    body: responsesBody(says("patch"), custom("call_x", "*** Begin Patch"), says("hello?")),
    sent: [
      says("patch"),
      custom("call_x", "*** Begin Patch"),
      { type: "custom_tool_call_output", call_id: "call_x", output: UNKNOWN },
      says("hello?"),
    ],
    mustReach: ["*** Begin Patch"],
  },
  {
    ...common,
    id: "responses-custom-call-answered-as-a-function",
    title: "A client answers a custom tool's call with a function's output",
    report: "diegosouzapw/OmniRoute#13122",
    reported: "2026-09-09",
    refusal: "No tool call found for function call output with call_id call_x.",
    body: responsesBody(says("patch"), custom("call_x", "*** Begin Patch"), output("call_x", "patched")),
    sent: [
      says("patch"),
      custom("call_x", "*** Begin Patch"),
      { type: "custom_tool_call_output", call_id: "call_x", output: "patched" },
    ],
    mustReach: ["patched"],
    mustNotReach: ["function_call"],
  },
  {
    ...common,
    id: "responses-custom-call-with-an-object",
    title: "A custom tool's input is an object: it stays a custom tool's call, its input becomes text",
    report: "diegosouzapw/OmniRoute#13122",
    reported: "2026-09-09",
    refusal: "Invalid type for 'input[1].input': expected a string",
    body: responsesBody(says("patch"), custom("call_x", { patch: "+b" }), {
      type: "custom_tool_call_output",
      call_id: "call_x",
      output: "patched",
    }),
    sent: [
      says("patch"),
      custom("call_x", '{"patch":"+b"}'),
      { type: "custom_tool_call_output", call_id: "call_x", output: "patched" },
    ],
    mustReach: ["patched"],
  },
  {
    ...common,
    id: "responses-output-before-compaction",
    title: "An output from before the compaction, and behind it a new call under the same id",
    report: "OpenMinis/OpenMinis#222",
    also: [COMPACTION, "smallmain/vscode-unify-chat-provider#152"],
    reported: "2026-08-12",
    refusal: "No tool call found for function call output with call_id call_1.",
    body: responsesBody(
      says("date?"),
      output("call_1", "old: Monday"),
      { type: "compaction", id: "cmp_1", encrypted_content: "abc" },
      says("and now?"),
      call("call_1"),
      says("hello?"),
    ),
    mustReach: ["old: Monday", `{"type":"function_call_output","call_id":"call_1","output":"${UNKNOWN}"}`],
    mustNotReach: ['"call_id":"call_1","output":"old'],
  },
  {
    ...common,
    id: "responses-output-before-compaction-new-one-behind",
    title: "As before, and the new call is answered: the old output is not added to the new one",
    report: "OpenMinis/OpenMinis#222",
    also: [COMPACTION],
    reported: "2026-08-12",
    refusal: "No tool call found for function call output with call_id call_1.",
    body: responsesBody(
      says("date?"),
      output("call_1", "old: Monday"),
      { type: "compaction", encrypted_content: "abc" },
      call("call_1"),
      output("call_1", "new: Tuesday"),
    ),
    mustReach: [
      "old: Monday",
      '{"type":"function_call","call_id":"call_1","name":"exec","arguments":"{\\"command\\":\\"date\\"}"},{"type":"function_call_output","call_id":"call_1","output":"new: Tuesday"}',
    ],
    mustNotReach: ["[A further result that was recorded"],
  },
  {
    ...common,
    id: "responses-compaction-between-call-and-output",
    title: "The compaction came in the answer that made the call: its output follows it",
    report: "mozilla-ai/otari#513",
    also: [COMPACTION],
    reported: "2026-08-06",
    body: responsesBody(
      says("date?"),
      call("call_1"),
      { type: "compaction", encrypted_content: "abc" },
      output("call_1", "Monday"),
    ),
    mustReach: ["Monday"],
  },
  {
    ...common,
    id: "responses-reasoning-before-a-message-without-type",
    title:
      "Reasoning is followed by the assistant's words as a client writes them, without `type`: not the item it led to",
    report: "openai/openai-node#1567",
    reported: "2025-07-01",
    refusal: "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
    body: responsesBody(says("how many r?"), reasoning, { role: "assistant", content: "three" }, says("sure?")),
    mustReach: ["three", "counting the letters"],
    mustNotReach: ['"type":"reasoning"'],
  },
];

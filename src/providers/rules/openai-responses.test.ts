import { describe, expect, test } from "vitest";
import type { JsonObject } from "../types.ts";
import { PIXEL, texts } from "../../../harness/providers/fixtures.ts";
import { responsesViolations } from "./openai-responses.ts";

const user = (...content: unknown[]): JsonObject => ({
  role: "user",
  content: content.length === 0 ? [{ type: "input_text", text: "hello" }] : content,
});
const said = (more: JsonObject = {}): JsonObject => ({
  type: "message",
  role: "assistant",
  status: "completed",
  content: [{ type: "output_text", text: "hi", annotations: [] }],
  ...more,
});
const call = (id: unknown, more: JsonObject = {}): JsonObject => ({
  type: "function_call",
  call_id: id,
  name: "exec",
  arguments: "{}",
  ...more,
});
const output = (id: unknown, value: unknown = "done"): JsonObject => ({
  type: "function_call_output",
  call_id: id,
  output: value,
});
const reasoning = (more: JsonObject = {}): JsonObject => ({ type: "reasoning", id: "rs_1", summary: [], ...more });
const body = (input: unknown, more: JsonObject = {}): JsonObject => ({ model: "gpt-test", input, ...more });

const ACCEPTED: [string, JsonObject][] = [
  ["text for input", body("hello")],
  [
    "what OpenClaw sends",
    body(
      [
        { role: "developer", content: "be good" },
        user(
          { type: "input_text", text: "look" },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PIXEL}` },
        ),
        reasoning({ summary: [{ type: "summary_text", text: "hm" }], encrypted_content: "abc" }),
        said({ id: "msg_1", phase: "commentary" }),
        call("call_1", { id: "fc_1" }),
        call("call_2", { id: "fc_2", async: true }),
        output("call_2", [
          { type: "input_text", text: "x" },
          { type: "input_image", detail: "auto", image_url: `data:image/png;base64,${PIXEL}` },
        ]),
        output("call_1", ""),
        { type: "compaction", encrypted_content: "abc" },
        user(),
        { role: "developer", content: [{ type: "input_text", text: "# Juice: 0" }] },
      ],
      {
        stream: true,
        store: false,
        include: ["reasoning.encrypted_content"],
        tools: [{ type: "function", name: "exec", parameters: {}, strict: false }],
      },
    ),
  ],
  [
    "reasoning before two calls made with it",
    body([
      user(),
      reasoning({ id: "rs_paired_7" }),
      call("a", { id: "fc_paired_7_1" }),
      call("b", { id: "fc_paired_7_2" }),
      output("a"),
      output("b"),
    ]),
  ],
  ["an output whose call the server stored", body([output("call_1")], { previous_response_id: "resp_1" })],
  [
    "a custom tool's pair",
    body([
      user(),
      { type: "custom_tool_call", call_id: "a", name: "sql", input: "select 1" },
      { type: "custom_tool_call_output", call_id: "a", output: "1" },
    ]),
  ],
  [
    "an output behind the compaction that its call stands before",
    body([user(), call("a"), { type: "compaction", encrypted_content: "abc" }, output("a")]),
  ],
  [
    "a search of tools by the server",
    body([
      user(),
      { type: "tool_search_call", call_id: null, arguments: {} },
      { type: "tool_search_output", call_id: null, tools: [] },
    ]),
  ],
  ["reasoning in two items", body([user(), reasoning(), reasoning({ id: "rs_2" }), said()])],
  ["items of built-in tools", body([user(), { type: "web_search_call", id: "ws_1", status: "completed" }, said()])],
];

const REFUSED: [string, unknown, string][] = [
  [
    "no model",
    body([user()], { model: 1 }),
    "Invalid type for 'model': expected a string, but got an integer instead.",
  ],
  ["no input", body(undefined), "Missing required parameter: 'input'."],
  [
    "an empty input",
    body([]),
    "Invalid 'input': empty array. Expected an array with minimum length 1, but got an empty array instead.",
  ],
  [
    "an item that is no object",
    body([7]),
    "Invalid type for 'input[0]': expected an object, but got an integer instead.",
  ],
  ["an item without type", body([{ call_id: "a" }]), "Missing required parameter: 'input[0].type'."],
  ["a foreign field of an item", body([{ ...user(), timestamp: 1 }]), "Unknown parameter: 'input[0].timestamp'."],
  [
    "an unknown role",
    body([{ role: "tool", content: "x" }]),
    "Invalid value: 'tool'. Supported values are: 'assistant', 'system', 'developer', and 'user'.",
  ],
  [
    "an output part of the user's",
    body([user({ type: "output_text", text: "x" })]),
    "Invalid value: 'output_text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
  ],
  [
    "an input part of the assistant's",
    body([user(), said({ content: [{ type: "input_text", text: "x" }] })]),
    "Invalid value: 'input_text'. Supported values are: 'output_text', and 'refusal'.",
  ],
  [
    "a message of the user between call and output, for DeepSeek",
    body([user(), call("a"), user(), output("a")], { model: "deepseek-v4" }),
    "No tool output found for tool call a.",
  ],
  [
    "an image without data",
    body([user({ type: "input_image", detail: "auto", image_url: "data:undefined;base64,undefined" })]),
    "Invalid 'input[0].content[0].image_url'. Expected a valid URL, but got a value with an invalid format.",
  ],
  ["no call_id", body([user(), call(undefined)]), "Missing required parameter: 'input[1].call_id'."],
  [
    "an empty call_id",
    body([user(), call(""), output("")]),
    "Invalid 'input[1].call_id': empty string. Expected a string with minimum length 1, but got an empty string instead.",
  ],
  [
    "a call_id of 65 characters",
    body([user(), call("a".repeat(65))]),
    "Invalid 'input[1].call_id': string too long. Expected a string with maximum length 64, but got a string with length 65 instead.",
  ],
  [
    "an id of another item",
    body([user(), call("a", { id: "item_1" }), output("a")]),
    "Invalid 'input[1].id': 'item_1'. Expected an ID that begins with 'fc'.",
  ],
  [
    "an id with a bar",
    body([user(), call("a", { id: "fc|1" }), output("a")]),
    "Invalid 'input[1].id': 'fc|1'. Expected an ID that contains letters, numbers, underscores, or dashes, but this value contained additional characters.",
  ],
  [
    "a message's id",
    body([user(), said({ id: "1" })]),
    "Invalid 'input[1].id': '1'. Expected an ID that begins with 'msg'.",
  ],
  [
    "a name with a dot",
    body([user(), call("a", { name: "fs.read" }), output("a")]),
    "Invalid 'input[1].name': string does not match pattern. Expected a string that matches the pattern '^[a-zA-Z0-9_-]+$'.",
  ],
  [
    "arguments that are an object",
    body([user(), call("a", { arguments: {} }), output("a")]),
    "Invalid type for 'input[1].arguments': expected a string, but got an object instead.",
  ],
  [
    "arguments that are cut off",
    body([user(), call("a", { arguments: '{"a"' }), output("a")]),
    "Invalid 'input[1].arguments': expected a string that holds valid JSON.",
  ],
  [
    "an output that is an object",
    body([user(), call("a"), output("a", {})]),
    "Invalid type for 'input[2].output': expected one of an array of objects or string, but got an object instead.",
  ],
  [
    "an output of an unknown part",
    body([user(), call("a"), output("a", [{ type: "text", text: "x" }])]),
    "Invalid value: 'text'. Supported values are: 'input_text', 'input_image', and 'input_file'.",
  ],
  ["no output", body([user(), call("a"), output("a", null)]), "Missing required parameter: 'input[2].output'."],
  [
    "reasoning without summary",
    body([user(), reasoning({ summary: undefined }), said()]),
    "Missing required parameter: 'input[1].summary'.",
  ],
  [
    "an orphaned output",
    body([user(), output("call_x")]),
    "No tool call found for function call output with call_id call_x.",
  ],
  [
    "an output before its call",
    body([user(), output("a"), call("a")]),
    "No tool call found for function call output with call_id a.",
  ],
  ["a call without output", body([user(), call("call_x"), user()]), "No tool output found for function call call_x."],
  [
    "one call_id twice",
    body([user(), call("a"), call("a"), output("a")]),
    "Duplicate function call found with call_id a. Remove duplicate items from your input and try again.",
  ],
  [
    "two outputs for one call",
    body([user(), call("a"), output("a"), output("a")]),
    "Duplicate function call output found with call_id a. Remove duplicate items from your input and try again.",
  ],
  [
    "one id twice",
    body([user(), said({ id: "msg_1" }), said({ id: "msg_1" })]),
    "Duplicate item found with id msg_1. Remove duplicate items from your input and try again.",
  ],
  [
    "reasoning alone",
    body([user(), reasoning(), user()]),
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    "reasoning before a message without type",
    body([user(), reasoning(), { role: "assistant", content: "t" }, user()]),
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    "a local shell's call alone",
    body([user(), { type: "local_shell_call", call_id: "a", action: {} }]),
    "No tool output found for local shell call a.",
  ],
  [
    "a local shell's output without call_id",
    body([
      user(),
      { type: "local_shell_call", call_id: "a", action: {} },
      { type: "local_shell_call_output", id: "a", output: "x" },
    ]),
    "No tool output found for local shell call a.",
  ],
  [
    "a shell's output that is text",
    body([
      user(),
      { type: "shell_call", call_id: "a", action: {} },
      { type: "shell_call_output", call_id: "a", output: "x" },
    ]),
    "Invalid type for 'input[2].output': expected an array of objects, but got a string instead.",
  ],
  [
    "a shell's output without outcome",
    body([
      user(),
      { type: "shell_call", call_id: "a", action: {} },
      { type: "shell_call_output", call_id: "a", output: [{ stdout: "", stderr: "" }] },
    ]),
    "Missing required parameter: 'input[2].output[0].outcome'.",
  ],
  [
    "a patch's output without status",
    body([
      user(),
      { type: "apply_patch_call", call_id: "a", status: "completed", operation: {} },
      { type: "apply_patch_call_output", call_id: "a" },
    ]),
    "Missing required parameter: 'input[2].status'.",
  ],
  [
    "a screenshot that is none",
    body([
      user(),
      { type: "computer_call", call_id: "a", action: {} },
      { type: "computer_call_output", call_id: "a", output: { type: "input_image" } },
    ]),
    "Invalid value: 'input_image'. Supported values are: 'computer_screenshot'.",
  ],
  [
    "a custom tool's call answered as a function's",
    body([user(), { type: "custom_tool_call", call_id: "a", name: "sql", input: "x" }, output("a")]),
    "No tool call found for function call output with call_id a.",
  ],
  [
    "an output from before the compaction, and a new call",
    body([user(), output("a"), { type: "compaction", encrypted_content: "abc" }, call("a"), output("a")]),
    "No tool call found for function call output with call_id a.",
  ],
  [
    "reasoning at the end",
    body([user(), reasoning()]),
    "Item 'rs_1' of type 'reasoning' was provided without its required following item.",
  ],
  [
    "a call that lost its reasoning",
    body([user(), call("a", { id: "fc_paired_7_1" }), output("a")]),
    "Item 'fc_paired_7_1' of type 'function_call' was provided without its required 'reasoning' item: 'rs_paired_7'.",
  ],
  [
    "a tool without name",
    body([user()], { tools: [{ type: "function" }] }),
    "Missing required parameter: 'tools[0].name'.",
  ],
];

describe("openai-responses", () => {
  test.each(ACCEPTED)("accepts %s", (_, accepted) => {
    expect(texts(responsesViolations(accepted))).toEqual([]);
  });
  test.each(REFUSED)("refuses %s", (_, refused, message) => {
    expect(texts(responsesViolations(refused))[0]).toBe(message);
  });
  test("refuses an item of another API and names the known ones", () => {
    const [first] = texts(responsesViolations(body([{ type: "tool_use" }])));
    expect(first).toMatch(
      /^Invalid value: 'tool_use'\. Supported values are: 'message', 'reasoning', 'function_call', /,
    );
  });
});

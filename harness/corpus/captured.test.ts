/** What a scan says of sessions that real installations have stored, judged by the strict server. */
import { readdirSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { toConversation, examineLoaded } from "../../src/health/index.ts";
import { fileSummary, readFileRows } from "../../src/store/catalog/files.ts";
import { isBlank, isObject, type JsonObject } from "../../src/transcript/json/json.ts";
import { isFailedTurn } from "../../src/transcript/read.ts";
import { repair } from "../../src/transcript/repair.ts";
import { carelessBody } from "../arbitrary/bodies.ts";
import { listViolations } from "../providers/index.ts";
import { isCaptured, loadCorpus, transcriptPath } from "./case.ts";

const HEALTHY = fileURLToPath(new URL("healthy/", import.meta.url));
const MODEL = "claude-sonnet-4-5";
const NEXT = { role: "user", content: "and what now?" };

function scanned(file: string) {
  const session = fileSummary(file);
  const stored = readFileRows(session);
  const conversation = toConversation(stored, session);
  return { messages: conversation.messages as JsonObject[], found: examineLoaded(stored, conversation) };
}

/**
 * Without what is no matter of the history, and what adapters leave out or write anew: failed turns, thinking of other
 * models, blank texts, characters of ids.
 */
function plain(messages: readonly JsonObject[]): JsonObject[] {
  const sent = messages
    .filter((one) => one.role !== "assistant" || !isFailedTurn(one))
    .map(({ content, ...rest }) => ({ ...rest, content: Array.isArray(content) ? content.filter(isSent) : content }))
    .filter(({ content }) => !Array.isArray(content) || content.length > 0);
  return JSON.parse(
    JSON.stringify(sent, (key, value: unknown) =>
      (key === "id" || key === "toolCallId") && typeof value === "string" ? value.replaceAll(/[^\w-]/g, "_") : value,
    ),
  ) as JsonObject[];
}

const isSent = (block: unknown): boolean =>
  !isObject(block) || (block.type !== "thinking" && (block.type !== "text" || !isBlank(String(block.text))));

const refusals = (messages: readonly unknown[]): string[] =>
  listViolations("anthropic-messages", carelessBody("anthropic-messages", [...messages, NEXT], MODEL), {
    model: MODEL,
  }).map(({ message }) => message);

const captured = loadCorpus().flatMap(({ id }) => (isCaptured(id) ? [{ id, ...scanned(transcriptPath(id)) }] : []));

describe("each finding in a captured session", () => {
  test.each(captured.filter(({ found }) => found.violations.length > 0))(
    "$id: a provider refuses the request for it, and takes the repaired one",
    ({ messages }) => {
      expect(refusals(plain(messages)).join("\n")).toMatch(/`tool_use`|`tool_result`|`image`/);
      expect(refusals(plain(repair(messages, { spelling: "openclaw" }).messages as JsonObject[]))).toEqual([]);
    },
  );

  test("or OpenClaw loses the messages before it", () => {
    expect(captured.filter(({ found }) => found.entries.length > 0).map(({ found }) => found.entries)).toEqual([
      ["unknown_parent"],
    ]);
  });
});

test("a scan finds nothing in the sessions of the control group, those that OpenClaw began itself among them", () => {
  const sessions = readdirSync(HEALTHY).map((name) => scanned(join(HEALTHY, name)));
  expect(sessions.flatMap(({ found }) => [...found.violations, ...found.entries])).toEqual([]);
  expect(sessions.some(({ messages }) => messages[0]?.role === "assistant")).toBe(true);
});

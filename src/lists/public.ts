/** The functions of `openclaw-integrity/transcript` that take a list of messages in any known form. */
import { assertList, assertSpelling, type Spelling } from "../transcript/options.ts";
import { sizesBetween, type Sizes } from "../transcript/json/sizes.ts";
import { assertStrategy, repair as repairStored, type RepairStrategy } from "../transcript/repair.ts";
import { validate as validateStored } from "../transcript/validate.ts";
import { repairIn, violationsIn, type ApiForm } from "./api-form.ts";
import { selectMembers, withForeignRows, type Members } from "./foreign-rows.ts";
import { detectForm, type FormName } from "./forms.ts";
import { repairAgentItems } from "./frameworks/agents.ts";
import { modelMessages } from "./frameworks/ai-sdk-model.ts";
import { repairUiMessages } from "./frameworks/ai-sdk-ui.ts";
import { storedMessages } from "./frameworks/langchain.ts";
import { repairPaired } from "./frameworks/paired.ts";
import { repairRows } from "./openclaw-rows.ts";
import type { ListRepair, ListViolation, RepairedRows } from "./violations.ts";

/** Options of {@link validate}. */
export interface ValidateOptions {
  /**
   * `openclaw` judges the list as OpenClaw's: it also reports calls and results in another spelling than OpenClaw's
   * own, which an unpatched OpenClaw does not read.
   */
  spelling?: Spelling;
}

/** What a repair changed at a violation: the path is the index of the message, and of the block behind a dot. */
export interface ListChange extends Sizes {
  readonly kind: ListViolation["kind"];
  readonly path: string;
}

/** Options of {@link repair}. */
export interface RepairOptions {
  /** What becomes of results without a call: by default (`reconstruct`) they are kept. */
  strategy?: RepairStrategy;
  /** `openclaw` turns a list of messages with roles into OpenClaw's own spelling; the default is to keep the form. */
  spelling?: Spelling;
  /** Called once with what was repaired; not called for a valid list. */
  onRepairs?: (changes: ListChange[]) => void;
}

/** The outcome of {@link repair}. */
export interface RepairResult<T = unknown> {
  /** The given list itself when there was no violation. */
  messages: T[];
  repaired: boolean;
  repairs: ListRepair[];
}

/**
 * Returns a valid list made of `messages`: {@link validate} finds nothing in the outcome, repairing it again returns
 * the same object, and the same input always gives the same bytes. A valid list is returned as the same object. The
 * given messages are not changed, changed ones are copies.
 *
 * The list keeps its form: OpenClaw's messages or rows, Anthropic Messages, OpenAI Chat Completions, OpenAI Responses
 * items, Gemini contents, Bedrock Converse messages, the AI SDK's ModelMessage or UIMessage, LangChain's stored
 * messages, or openai-agents items. A row that is no message of its form stays where it is. No text, call or result is
 * dropped: a result moves to its call, one without a call gets a placeholder call, a call without a result gets one
 * that says that its outcome is unknown. The exception, in OpenClaw's forms: calls without a result in turns that
 * failed (`stopReason` `error` or `aborted`), and failed turns that say nothing, are left out, as OpenClaw's own
 * adapters do.
 *
 * Throws a TypeError when `messages` is no list or a list in no known form, and for an unknown strategy or spelling;
 * nothing inside the messages makes it throw.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { repair, validate } from "openclaw-integrity/transcript";
 *
 * const stored = [
 *   { role: "user", content: "List the files." },
 *   { role: "assistant", content: [{ type: "toolCall", id: "call_1", name: "exec", arguments: { command: "ls" } }] },
 *   { role: "user", content: "Are you there?" },
 * ];
 * const { messages, repairs } = repair(stored);
 * assert.deepEqual(
 *   repairs.map(({ kind, action, messageIndex }) => [kind, action, messageIndex]),
 *   [["missing_tool_result", "add_result", 1]],
 * );
 * assert.deepEqual(validate(messages), []);
 * assert.equal(repair(messages).messages, messages); // a valid history stays the same object
 * ```
 */
export function repair<T>(messages: readonly T[], options: RepairOptions = {}): RepairResult<T> {
  const { strategy = "reconstruct", spelling = "keep", onRepairs } = options;
  assertList("repair", messages);
  assertStrategy(strategy);
  assertSpelling("repair", spelling);
  const { rows, repairs } = repaired(messages, strategy, spelling);
  if (rows !== messages && onRepairs) {
    const sizes = sizesBetween(messages, rows);
    onRepairs(
      repairs.map(({ kind, messageIndex, blockIndex }) => ({
        kind,
        path: blockIndex < 0 ? `${messageIndex}` : `${messageIndex}.${blockIndex}`,
        ...sizes(messageIndex),
      })),
    );
  }
  return { messages: rows as T[], repaired: rows !== messages, repairs: [...repairs] };
}

/**
 * Returns every violation in a list of messages, in their order; an empty list when there is none.
 *
 * @param messages A list in one of the forms that {@link repair} names. It is judged by what every provider of its form
 *   refuses; for the rules of one model or host use `check` of `openclaw-integrity/wire`. Rows that are no messages of
 *   the form are not judged. A block may be any value.
 * @returns kind, message index, block index (-1: the message itself; calls in `tool_calls` are counted behind the
 *   blocks) and id of each violation.
 * @throws TypeError when `messages` is no list or a list in no known form, or the spelling is unknown; nothing inside
 *   the messages makes it throw.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { validate } from "openclaw-integrity/transcript";
 *
 * const violations = validate([
 *   { role: "user", content: "Hello" },
 *   { role: "toolResult", toolCallId: "call_gone", toolName: "exec", content: [], isError: false },
 * ]);
 * assert.deepEqual(violations, [
 *   { kind: "orphaned_tool_result", messageIndex: 1, blockIndex: -1, id: "call_gone" },
 * ]);
 * ```
 */
export function validate(messages: readonly unknown[], options: ValidateOptions = {}): ListViolation[] {
  const { spelling = "keep" } = options;
  assertList("validate", messages);
  assertSpelling("validate", spelling);
  const detected = detectForm("validate", messages);
  if (!detected) return [];
  const form = spelling === "openclaw" ? asOpenClaw("validate", detected.form) : detected.form;
  const members = selectMembers(messages, detected.isMember);
  return violationsOfRows(form, members.rows, spelling).map((found) => inList(found, members));
}

function repaired(list: readonly unknown[], strategy: RepairStrategy, spelling: Spelling): RepairedRows {
  const detected = detectForm("repair", list);
  if (!detected) return { rows: list, repairs: [] };
  const form = spelling === "openclaw" ? asOpenClaw("repair", detected.form) : detected.form;
  const members = selectMembers(list, detected.isMember);
  const { rows, repairs } =
    strategy === "truncate"
      ? truncated(form, members.rows, spelling)
      : repairedRows(form, members.rows, strategy, spelling);
  if (rows === members.rows) return { rows: list, repairs: [] };
  return { rows: withForeignRows(list, members, rows), repairs: repairs.map((found) => inList(found, members)) };
}

function inList<Found extends ListViolation>(found: Found, { places }: Members): Found {
  return { ...found, messageIndex: places[found.messageIndex] ?? found.messageIndex };
}

const WITH_ROLES = new Set<FormName>(["openclaw", "anthropic", "chat"]);

/** Returns OpenClaw's form for a list that OpenClaw's own functions read. */
function asOpenClaw(name: string, form: FormName): FormName {
  if (WITH_ROLES.has(form)) return "openclaw";
  throw new TypeError(
    `${name}() expects OpenClaw, Anthropic or Chat Completions messages for the spelling "openclaw", found ${form}. ` +
      "Leave the option out to keep the form of the list.",
  );
}

function violationsOfRows(form: FormName, rows: readonly unknown[], spelling: Spelling): readonly ListViolation[] {
  if (form === "openclaw") return validateStored(rows, { spelling });
  if (isApiForm(form)) return violationsIn(form, rows);
  return repairedRows(form, rows, "reconstruct", spelling).repairs.map(
    ({ action: _action, ...violation }) => violation,
  );
}

function repairedRows(
  form: FormName,
  rows: readonly unknown[],
  strategy: RepairStrategy,
  spelling: Spelling,
): RepairedRows {
  if (isApiForm(form)) return repairIn(form, rows, strategy);
  switch (form) {
    case "openclaw-rows":
      return repairRows(rows, strategy);
    case "ai-sdk-model":
      return repairPaired(modelMessages, rows, strategy);
    case "ai-sdk-ui":
      return repairUiMessages(rows);
    case "langchain":
      return repairPaired(storedMessages, rows, strategy);
    case "agents":
      return repairAgentItems(rows, strategy);
    default: {
      const { messages, repairs } = repairStored(rows, { strategy, spelling });
      return { rows: messages, repairs };
    }
  }
}

const API_FORMS = new Set<FormName>(["anthropic", "chat", "responses", "gemini", "converse"]);

function isApiForm(form: FormName): form is ApiForm {
  return API_FORMS.has(form);
}

/** Cuts a list to its longest valid beginning. */
function truncated(form: FormName, rows: readonly unknown[], spelling: Spelling): RepairedRows {
  const violations = violationsOfRows(form, rows, spelling);
  if (violations.length === 0) return { rows, repairs: [] };
  let end = rows.length;
  // Each cut can leave a call open or a result alone before it, hence the loop.
  for (
    let found = violations;
    found.length > 0 && end > 0;
    found = violationsOfRows(form, rows.slice(0, end), spelling)
  )
    end = Math.min(end - 1, found[0]!.messageIndex);
  return { rows: rows.slice(0, end), repairs: violations.map((violation) => ({ ...violation, action: "truncate" })) };
}

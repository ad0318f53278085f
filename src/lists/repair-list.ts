/** The repair of a list in any known form, which is found in the list or known by its program. */
import { assertStrategy, repair as repairStored, type RepairStrategy } from "../transcript/repair.ts";
import type { Spelling } from "../transcript/options.ts";
import { sizesBetween, type Sizes } from "../transcript/json/sizes.ts";
import { validate as validateStored } from "../transcript/validate.ts";
import { repairIn, violationsIn, type ApiForm } from "./api-form.ts";
import { selectMembers, withForeignRows, type Members } from "./foreign-rows.ts";
import { readAs, type Detected, type FormName } from "./forms.ts";
import { repairAgentItems } from "./frameworks/agents.ts";
import { modelMessages } from "./frameworks/ai-sdk-model.ts";
import { repairUiMessages } from "./frameworks/ai-sdk-ui.ts";
import { storedMessages } from "./frameworks/langchain.ts";
import { repairPaired } from "./frameworks/paired.ts";
import { repairRows } from "./openclaw-rows.ts";
import type { ListRepair, ListViolation, RepairedRows } from "./violations.ts";

/** What a repair changed at a violation: the path is the index of the message, and of the block behind a dot. */
export interface ListChange extends Sizes {
  readonly kind: ListViolation["kind"];
  readonly path: string;
}

/** Options of {@link repairAs}. */
export interface RepairAsOptions {
  /** What becomes of results without a call: by default (`reconstruct`) they are kept. */
  strategy?: RepairStrategy;
  /** Called once with what was repaired; not called for a valid list. */
  onRepairs?: (changes: ListChange[]) => void;
}

/**
 * Repairs a list whose form its program knows, so that none has to be found in it: what is no message of the form stays
 * where it is, and an unknown form is no error; so does what `isJudged` is false for. Returns the list itself when
 * there was no violation.
 *
 * @example
 * ```ts
 * const messages = [{ role: "user", content: "Hello" }];
 * repairAs("ai-sdk-model", messages) === messages; // true
 * ```
 */
export function repairAs<T>(
  form: FormName,
  messages: T[],
  options: RepairAsOptions = {},
  isJudged: (row: T) => boolean = () => true,
): T[] {
  const { strategy = "reconstruct", onRepairs } = options;
  assertStrategy(strategy);
  const { rows, repairs } = repaired(messages, readAs(form, messages, isJudged), strategy, "keep");
  if (rows !== messages && onRepairs) onRepairs(changesBetween(messages, rows, repairs));
  return rows as T[];
}

export function changesBetween(
  messages: readonly unknown[],
  rows: readonly unknown[],
  repairs: readonly ListRepair[],
): ListChange[] {
  const sizes = sizesBetween(messages, rows);
  return repairs.map(({ kind, messageIndex, blockIndex }) => ({
    kind,
    path: blockIndex < 0 ? `${messageIndex}` : `${messageIndex}.${blockIndex}`,
    ...sizes(messageIndex),
  }));
}

export function repaired(
  list: readonly unknown[],
  detected: Detected | undefined,
  strategy: RepairStrategy,
  spelling: Spelling,
): RepairedRows {
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

export function inList<Found extends ListViolation>(found: Found, { places }: Members): Found {
  return { ...found, messageIndex: places[found.messageIndex] ?? found.messageIndex };
}

const WITH_ROLES = new Set<FormName>(["openclaw", "anthropic", "chat"]);

/** Returns OpenClaw's form for a list that OpenClaw's own functions read. */
export function asOpenClaw(name: string, form: FormName): FormName {
  if (WITH_ROLES.has(form)) return "openclaw";
  throw new TypeError(
    `${name}() expects OpenClaw, Anthropic or Chat Completions messages for the spelling "openclaw", found ${form}. ` +
      "Leave the option out to keep the form of the list.",
  );
}

export function violationsOfRows(
  form: FormName,
  rows: readonly unknown[],
  spelling: Spelling,
): readonly ListViolation[] {
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

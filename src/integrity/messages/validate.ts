import type { Violation, ViolationKind } from "../../transcript/violations.ts";
import { callsOfHistory } from "./calls.ts";
import type { Core } from "../base/core.ts";
import { tallyKinds } from "../../observe/events.ts";
import { violationsIn } from "./native.ts";
import type { ValidationResult } from "./results.ts";
import type { Session } from "../base/session.ts";

/** Options of validate. */
export interface ValidateOptions {
  /** Whether the calls at the end of the history may still be open, because their turn is not over; true by default. */
  allowOpenEnd?: boolean;
}

const SENTENCES: Record<ViolationKind, string> = {
  orphaned_tool_result: "Orphaned tool_result",
  missing_tool_result: "Incomplete tool_use",
  duplicate_tool_result: "A further tool_result for an answered call",
  duplicate_tool_call_id: "Duplicate tool_use id",
  displaced_tool_result: "A tool_result that does not directly follow its call",
  invalid_id: "An id that no API accepts",
  empty_id: "A call or result without an id",
  incomplete_tool_call: "A tool_use that was cut off",
  skipped_tool_call: "A tool_use in a turn that failed",
  empty_message: "A message with nothing in it",
  foreign_block: "A block or message of an unknown form",
  too_deep: "A message that nests too deeply to be sent",
};

/** Returns whether the messages can be sent. Pure: no I/O, nothing is changed; messages may be any JSON. */
export function validateMessages(
  { format, messages }: Pick<Session, "format" | "messages">,
  { allowOpenEnd = true }: ValidateOptions = {},
): ValidationResult {
  const found = violationsIn(format, messages);
  if (found.length === 0) return { valid: true };
  const violations = allowOpenEnd ? withoutOpenEnd(messages, found) : found;
  const [first] = violations;
  if (!first) return { valid: true };
  const listIds = (...kinds: ViolationKind[]): string[] =>
    violations.filter(({ kind }) => kinds.includes(kind)).map(({ id }) => id);
  const orphanedIds = listIds("orphaned_tool_result");
  const incompleteIds = listIds("missing_tool_result", "incomplete_tool_call", "skipped_tool_call");
  const duplicateIds = listIds("duplicate_tool_call_id");
  return {
    valid: false,
    error:
      `${SENTENCES[first.kind]}: ${first.id === "" ? "" : `${first.id}, `}message ${first.messageIndex}` +
      (violations.length > 1 ? `, and ${violations.length - 1} more` : ""),
    ...(orphanedIds.length > 0 && { orphanedIds }),
    ...(incompleteIds.length > 0 && { incompleteIds }),
    ...(duplicateIds.length > 0 && { duplicateIds }),
    violations,
  };
}

/** Runs {@link validateMessages} on a session and emits the outcome; always valid when SessionIntegrity is disabled. */
export function validate(core: Core, session: Session, options?: ValidateOptions): ValidationResult {
  if (!core.config.enabled) return { valid: true };
  const since = performance.now();
  const result = validateMessages(session, options);
  const payload = () => ({ sessionId: session.id, gate: "session", messages: session.messages.length }) as const;
  if (result.valid) core.emit("l0:validation:pass", payload, { since });
  else
    core.emit("l0:validation:fail", payload, {
      since,
      kinds: tallyKinds(result.violations?.map(({ kind }) => kind) ?? []),
    });
  return result;
}

function withoutOpenEnd(messages: readonly unknown[], violations: readonly Violation[]): Violation[] {
  if (!violations.some(({ kind }) => kind === "missing_tool_result")) return [...violations];
  const { openEnd } = callsOfHistory(messages);
  const owner = messages.findLastIndex((message) => (message as { role?: unknown } | null)?.role === "assistant");
  return violations.filter(
    ({ kind, id, messageIndex }) => kind !== "missing_tool_result" || messageIndex !== owner || !openEnd.has(id),
  );
}

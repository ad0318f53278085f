import { visible } from "../../../src/base/visible.ts";
import { VIOLATION_WORDS } from "../../../src/health/index.ts";
import type { LocatedViolation, OwnTranscript } from "../own.ts";
import type { Paint } from "./paint.ts";
import { count } from "./summary.ts";
import { cut, wrap } from "./width.ts";

const SHOWN = 40;
const ID_WIDTH = 40;
const INDENT = "    ";

/**
 * What is wrong with a transcript, as `openclaw-integrity sessions show` says it: kinds and places, messages counted from
 * 1, none of its content.
 */
export function describeOwn(
  { name, messages, state, damage, violations }: OwnTranscript,
  width: number,
  paint: Paint,
): string[] {
  const head = `${visible(name)}: ${count(messages, "message")} in the conversation: ${state}`;
  const faults = [...damage.map((words) => `the file: ${words}`), ...violations.slice(0, SHOWN).map(describeViolation)];
  const lines = [
    ...wrap(head, width).map((line) => paint("head", line)),
    ...faults.flatMap((fault) =>
      wrap(fault, width - INDENT.length).map((line, nth) => `${nth === 0 ? "  " : INDENT}${line}`),
    ),
  ];
  if (violations.length > SHOWN)
    lines.push(paint("dim", `and ${violations.length - SHOWN} more (--json has them all)`));
  return lines;
}

function describeViolation({ kind, messageIndex, id, line }: LocatedViolation): string {
  const place = `message ${messageIndex + 1}${line === undefined ? "" : ` (line ${line})`}`;
  return `${place}: ${VIOLATION_WORDS[kind]}${id === "" ? "" : ` (${cut(visible(id), ID_WIDTH)})`}`;
}

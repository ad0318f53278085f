/** Formats recorded work for a terminal; recorded texts cannot break out of their lines. */
import { columns as columnsOfTerminal } from "../../../base/terminal.ts";
import { formatTime } from "../../../base/time.ts";
import { cutWord } from "../../../base/width.ts";
import { type ActiveWorkState, authorText, type NextStep, type ProposalRequest } from "../../../continuity/index.ts";
import { holderText } from "../../../continuity/base/holder.ts";
import { ageText } from "../../../continuity-report/index.ts";
import { printable, textWidth } from "../../../doctor/printable.ts";

const MAX_WIDTH = 120;
/** A narrower terminal is taken to be this wide, so that a few words fit behind a label. */
const MIN_WIDTH = 40;
/** The width where there is no terminal. */
const USUAL_WIDTH = 80;
const MAX_LENGTH = 2000;
const LABEL = 13;

/** Why a task comes next, by the rule that chose it. */
const RULES: Readonly<Record<NextStep["rule"], string>> = {
  doing: "it is in progress",
  blocked: "nothing is in progress, and it was blocked last",
  todo: "it is the most important task that can start",
};

/** Returns the width of lines. */
export function chooseWidth(): number {
  return Math.min(MAX_WIDTH, Math.max(MIN_WIDTH, columnsOfTerminal() ?? USUAL_WIDTH));
}

/** Formats a recorded text after a label; its further lines are aligned with its first word. */
export function labelled(label: string, text: string, columns = chooseWidth()): string[] {
  const first = `  ${label.padEnd(LABEL - 2)}`;
  return wrapped(text, columns - textWidth(first)).map(
    (line, at) => (at === 0 ? first : " ".repeat(textWidth(first))) + line,
  );
}

/** Formats a recorded text as a list item. */
export function listed(text: string, columns = chooseWidth()): string[] {
  return wrapped(text, columns - 4).map((line, at) => (at === 0 ? "  " : "    ") + line);
}

/** Wraps a recorded text to lines of at most `columns` columns, at spaces where possible. */
export function wrapped(text: string, columns: number): string[] {
  const lines = [""];
  for (const word of printable(text, MAX_LENGTH).split(/ +/)) {
    const last = lines.at(-1)!;
    if (last !== "" && textWidth(last) + 1 + textWidth(word) <= columns) lines[lines.length - 1] = `${last} ${word}`;
    else lines.splice(lines.length - (last === "" ? 1 : 0), 1, ...cutWord(word, columns));
  }
  return lines;
}

/** Formats a time of the ledger. */
export function timeText(iso: string): string {
  return formatTime(Date.parse(iso));
}

/** Describes work that is old enough that agents ask before they continue it: `for 3 days: …`. */
export function restedText(worked_at: string): string {
  return `for ${ageText(Date.now() - Date.parse(worked_at))}: agents ask before they continue it`;
}

/** Characters of an id that are shown; more where two ids begin alike. */
const SHORT_ID = 8;

/** Returns for each id the beginning of it that no other one has. */
export function shortIds(ids: readonly string[]): ReadonlyMap<string, string> {
  const sorted = ids.toSorted();
  return new Map(
    sorted.map((id, at) => {
      const needed = Math.max(commonLength(id, sorted[at - 1]), commonLength(id, sorted[at + 1])) + 1;
      return [id, id.slice(0, Math.max(SHORT_ID, needed))];
    }),
  );
}

/** How many characters two ids have in common at their beginning. */
function commonLength(one: string, other = ""): number {
  for (let length = 0; length < one.length; length++) if (one[length] !== other[length]) return length;
  return one.length;
}

/** Returns the best task that can start, where the next step is of one that waits. */
export function startLines({ next, can_start }: Pick<ActiveWorkState, "next" | "can_start">): string[] {
  if (next.kind !== "step" || next.rule !== "blocked" || can_start === null) return [];
  return labelled("can start", `${can_start.title} (${can_start.task_id})`);
}

/** Returns who does which task. */
export function heldLines({ held, tasks }: Pick<ActiveWorkState, "held" | "tasks">): string[] {
  return held.flatMap(({ task_id, holder, until }) =>
    labelled(
      "held",
      `${tasks.find((task) => task.task_id === task_id)?.title ?? task_id} (${task_id}): ${holderText(holder)}` +
        (until === null ? "" : `, free from ${timeText(until)} on without a call of it`),
    ),
  );
}

/** Formats the next step with everything that it needs. */
export function nextLines(next: NextStep | ProposalRequest): string[] {
  if (next.kind === "propose_tasks") {
    return [
      "No task can be worked on: propose new tasks.",
      ...next.goals.flatMap(({ text, priority }) =>
        labelled("goal", `${text}${priority === 0 ? "" : ` (priority ${priority})`}`),
      ),
      ...next.waiting.flatMap(({ title, depends_on }) =>
        labelled("waiting", `${title} (for ${depends_on.length} other${depends_on.length === 1 ? "" : "s"})`),
      ),
    ];
  }
  return [
    "Next",
    ...labelled("step", next.next_step),
    ...(next.authors.next_step === null ? [] : labelled("by", authorText(next.authors.next_step))),
    ...labelled("task", next.title),
    ...labelled("task id", next.task_id),
    ...labelled("why", RULES[next.rule]),
    ...(next.due === undefined ? [] : labelled("due", timeText(next.due))),
    ...(next.failed_because === undefined
      ? []
      : labelled("failed", `${next.failures === 1 ? "once" : `${next.failures} times`}, last: ${next.failed_because}`)),
    ...(next.where_we_left_off === null ? [] : labelled("left off", next.where_we_left_off)),
    ...next.required_context_refs.flatMap((reference) => labelled("needs", reference)),
    ...next.blockers.flatMap((blocker) => labelled("blocker", blocker)),
    ...next.acceptance_criteria.flatMap((criterion) => labelled("done when", criterion)),
  ];
}

import { checkpointReason } from "../../store/checkpoints/checkpoint-reason.ts";
import type { Checkpoint } from "../../journal/index.ts";
import type { Departure, DrawnEntry, DrawnItem, Drawing, DrawnMove, DrawnNote } from "../drawing/drawing.ts";
import { shortened } from "../printable.ts";
import { formatMinute } from "../../base/time.ts";
import { counted } from "../words.ts";
import { html, type Content, type Markup } from "./markup.ts";

/** * Renders the tree of a conversation without its messages: the number of messages between checkpoints, and the paths
 * that leave. */
export function tree(drawing: Drawing): Markup {
  const { line, before, first } = drawing;
  return html`<ul class="tree">${first.map((checkpoint) => html`<li>${checkpointMark(checkpoint)}</li>`)}${before.length > 0 && html`<li><span class="soft">before the first message</span>${paths(before)}</li>`}${steps(line)}</ul>
${leftOut(drawing)}`;
}

/** Renders the marked entries of a path, with the number of messages between them. */
function steps(line: readonly DrawnItem[]): Markup[] {
  const rows: Markup[] = [];
  let between = 0;
  const flush = (): void => {
    if (between > 0) rows.push(html`<li><span class="soft">${counted(between, "message")}</span></li>`);
    between = 0;
  };
  for (const item of line) {
    between += item.kind === "entry" ? Number(item.entry.type === "message") : item.contents.messages;
    const marks = item.kind === "entry" ? renderMarks(item.entry) : undefined;
    if (marks === undefined) continue;
    flush();
    rows.push(html`<li>${marks}</li>`);
  }
  flush();
  return rows;
}

function renderMarks({ type, note, moves, isLeaf, checkpoints, departures }: DrawnEntry): Markup | undefined {
  const isSummary = type === "compaction" || type === "reset";
  if (
    !isLeaf &&
    !isSummary &&
    note === undefined &&
    moves.length === 0 &&
    checkpoints.length === 0 &&
    departures.length === 0
  )
    return undefined;
  const marks: Content = [
    isSummary && html`<span class="soft">${type === "reset" ? "a reset" : "a summary"}</span>`,
    note?.kind === "rollback" && html`<span class="place-mark">rolled back to here</span>`,
    note?.kind === "repair" && html`<span class="place-mark">repaired up to here</span>`,
    note?.kind === "arrival" && html`<span class="place-mark">${arrivalWords(note)}</span>`,
    note?.kind === "aborted" && html`<span class="soft">a move that failed</span>`,
    moves.map(moveMark),
    checkpoints.map(checkpointMark),
    isLeaf && html`<span class="leaf-mark">● the conversation continues here</span>`,
    departures.length > 0 &&
      checkpoints.length === 0 &&
      !isLeaf &&
      html`<span class="soft">the conversation took another path here:</span>`,
    departures.length > 0 && paths(departures),
  ];
  return html`${marks}`;
}

function paths(departures: readonly Departure[]): Markup {
  return html`<ul>${departures.map((path) => html`<li>${departureMark(path)}${inner(path.items)}</li>`)}</ul>`;
}

/** Renders the checkpoints, moves and departures of a path that was left. */
function inner(items: readonly DrawnItem[]): Content {
  const entries = items.flatMap((item) => (item.kind === "entry" ? [item.entry] : []));
  const marks = entries.filter(
    ({ checkpoints, departures, moves }) => checkpoints.length > 0 || departures.length > 0 || moves.length > 0,
  );
  return (
    marks.length > 0 &&
    html`<ul>${marks.map(({ checkpoints, departures, moves }) => html`<li>${checkpoints.map(checkpointMark)}${moves.map(moveMark)}${departures.length > 0 && paths(departures)}</li>`)}</ul>`
  );
}

/** Renders a path that was left, on one line. */
export function departureMark(path: Departure): Markup {
  const { messages, entries, at, faults = 0 } = path;
  const size = messages > 0 ? counted(messages, "message") : counted(entries, "record");
  return html`<span class="left-mark">↳ ${causeWords(path)}: ${size}${at !== undefined && `, the last of ${formatMinute(at)}`}${faults > 0 && html`, <span class="bad">${counted(faults, "fault")} in messages</span>`}</span>`;
}

/** Returns why a path was left. */
function causeWords({ cause, checkpointId, move }: Departure): string {
  if (move !== undefined)
    return move.by === "agent"
      ? "left by the agent itself, which moved to another place"
      : "left by the operator, who moved the conversation to another place";
  if (cause === "rollback")
    return `left by a rollback${checkpointId === undefined ? "" : ` to checkpoint ${shortened(checkpointId)}`}`;
  if (cause === "repair") return "left by a repair, which copied it without the faults";
  return cause === "summary" ? "left with a summary" : "left by a rewind, an edit or a new try";
}

/** Describes the arrival of a move: who moved, from which entry, and the length of the note. */
export function arrivalWords({ by = "agent", from, length = 0 }: DrawnNote): string {
  const who = by === "agent" ? "the agent moved here" : "the operator moved the conversation here";
  return (
    `⇢ ${who}${typeof from === "string" ? ` from ${shortened(from)}` : ""}, with a note ` +
    `of ${counted(length, "character")}`
  );
}

/** Renders the departure of a move. */
export function moveMark({ by, arrivalId }: DrawnMove): Markup {
  return html`<span class="place-mark">⇠ the ${by} left from here, and arrived with ${shortened(arrivalId)}</span>`;
}

/** Renders a checkpoint on one line. */
export function checkpointMark(checkpoint: Checkpoint): Markup {
  const { id, timestamp, rolledBackAt } = checkpoint;
  return html`<span class="place-mark">◆ checkpoint <code>${shortened(id)}</code> ${checkpointReason(checkpoint)}, ${formatMinute(timestamp)}${rolledBackAt !== undefined && `; rolled back to at ${formatMinute(rolledBackAt)}`}</span>`;
}

/** Renders how many paths and checkpoints are not drawn. */
function leftOut({ departures, departuresDrawn, lost }: Drawing): Content {
  const more = departures - departuresDrawn;
  return html`${more > 0 && html`<p class="soft">${counted(more, "further path")} that ${more === 1 ? "was" : "were"} left ${more === 1 ? "is" : "are"} not drawn.</p>`}
${lost.length > 0 && html`<p class="soft">${counted(lost.length, "checkpoint")} ${lost.length === 1 ? "refers" : "refer"} to entries that are no longer stored.</p>`}`;
}

import { faultCount } from "../drawing/contents.ts";
import type { Contents, Departure, DrawnEntry, DrawnItem, DrawnPart, Drawing } from "../drawing/drawing.ts";
import { drawCallLines, type CallLineCell } from "../drawing/call-lines.ts";
import { printable, shortened } from "../printable.ts";
import { formatMinute } from "../../base/time.ts";
import { counted } from "../words.ts";
import { html, type Content, type Markup } from "./markup.ts";
import { arrivalWords, checkpointMark, departureMark, moveMark } from "./tree.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Scope of the anchors of a path. Undefined for a path that was left: its message numbers belong to that path only. */
type Anchor = { readonly session: number; readonly drawn: ReadonlySet<number> } | undefined;

/** Renders the conversation as a vertical line, with the paths that leave it. */
export function conversation({ line, before, first }: Drawing, session: number): Markup {
  const drawn = new Set(
    line
      .flatMap((item) => (item.kind === "omitted" ? [] : item.kind === "entry" ? [item.entry] : item.entries))
      .flatMap(({ number }) => number ?? []),
  );
  return html`${first.map(checkpointMark)}${before.map(departure)}${lines(line, { session, drawn })}`;
}

function lines(items: readonly DrawnItem[], anchor: Anchor): Markup {
  const callLines = drawCallLines(items);
  const width = callLines.reduce((widest, { length }) => Math.max(widest, length), 0);
  return html`<ol class="line">
${items.map((item, at) => itemRow(item, gutter(callLines[at]!, width), anchor))}</ol>`;
}

function itemRow(item: DrawnItem, beside: Markup, anchor: Anchor): Markup {
  if (item.kind === "entry") return entryRow(item.entry, beside, anchor);
  const { contents } = item;
  const words = item.kind === "omitted" ? omittedWords(contents) : collapsedWords(contents, item.isSent);
  const opened = item.kind === "collapsed" ? item.entries.map((entry): DrawnItem => ({ kind: "entry", entry })) : [];
  const inside =
    opened.length > 0 ? html`<details><summary>${words}</summary>${lines(opened, anchor)}</details>` : words;
  return html`<li class="many">${beside}<span class="n">…</span><span class="who soft">${range(contents)}</span><div class="body soft">${inside}</div></li>
`;
}

function collapsedWords({ entries, messages, users, assistants, results, tools }: Contents, isSent: boolean): Markup {
  const who = [
    users > 0 && `${users} by the user`,
    assistants > 0 && `${assistants} by the assistant`,
    results > 0 && counted(results, "result"),
  ].filter((words) => words !== false);
  const used = tools.slice(0, 4).map(([name, calls]) => `${printable(name, 30)} ${calls}`);
  const these =
    messages === 0
      ? counted(entries, "record")
      : `${counted(messages, isSent ? "valid message" : "message")}${isSent ? "" : " that a model is no longer sent"}`;
  const byTool = used.length > 0 && html`; <bdi>${used.join(", ")}</bdi>${tools.length > 4 && ", …"}`;
  return html`… ${these}${who.length > 1 && html` <small>(${who.join(", ")}${byTool})</small>`}`;
}

function omittedWords({ messages, faults }: Contents): Markup {
  return html`<b>${counted(messages, "message")} left out here</b> to keep this page small${faults > 0 && html`, <span class="bad">with ${counted(faults, "fault")}</span>`}; <code>${ownCommand("sessions show")}</code> lists every fault.`;
}

function range({ from, to }: Contents): string {
  return from === undefined ? "" : from === to ? `${from}` : `${from}–${to}`;
}

function entryRow(entry: DrawnEntry, beside: Markup, anchor: Anchor): Markup {
  const { number, at, isLeaf, note, checkpoints, departures, moves } = entry;
  const classes = [
    faultCount(entry) > 0 && "faulty",
    (checkpoints.length > 0 || departures.length > 0 || moves.length > 0 || note?.kind === "arrival") && "place",
    isLeaf && "leaf",
  ]
    .filter((name) => name !== false)
    .join(" ");
  const [name, colour] = nameSpeaker(entry);
  const id = anchor && number !== undefined && html` id="s${anchor.session}m${number}"`;
  const time = at !== undefined && html` title="${formatMinute(at)} UTC"`;
  return html`<li${id} class="${classes}">${beside}<span class="n">${number ?? "·"}</span><span class="who ${colour}"${time}><bdi>${name}</bdi></span><div class="body">${what(entry, anchor)}
${wrong(entry)}
${checkpoints.map(checkpointMark)}${moves.map(moveMark)}${isLeaf && html`<span class="leaf-mark">● the conversation continues here</span>`}${departures.map(departure)}</div></li>
`;
}

/** Renders the blocks of a message, or a description of another entry. */
function what(entry: DrawnEntry, anchor: Anchor): Content {
  const { id, type, parts, isFailed, isSent, note } = entry;
  if (note?.kind === "arrival")
    return html`<span class="place-mark">${arrivalWords(note)} (entry ${shortened(id)})</span>`;
  if (type !== "message") return html`<span class="soft">${recordWords(entry)}</span>`;
  return [
    parts.map((part) => partMark(part, anchor)),
    parts.length === 0 && html`<span class="soft">empty</span> `,
    isFailed && html`<small>the turn failed</small> `,
    !isSent && html`<small>no longer sent</small>`,
  ];
}

/** Renders the faults of an entry, and its first words if they were requested. */
function wrong({ faults, rowFaults, parts, words }: DrawnEntry): Content {
  return [
    faults.map((fault) => html`<span class="fault">✗ ${fault}</span>`),
    partFaults(parts),
    rowFaults.map((fault) => html`<span class="fault">✗ row: ${fault}</span>`),
    words !== undefined && words.trim() !== "" && html`<span class="words">“${printable(words, 100)}”</span>`,
  ];
}

/** Renders each kind of fault of the blocks once, with the labels of the calls that have it. */
function partFaults(parts: readonly DrawnPart[]): Markup[] {
  const labels = new Map<string, string[]>();
  for (const { faults, link } of parts) {
    for (const fault of faults) {
      const all = labels.get(fault) ?? [];
      labels.set(fault, all);
      all.push(link?.label ?? "");
    }
  }
  return [...labels].map(([fault, all]) => {
    const named = all.filter((label) => label !== "");
    const which =
      parts.length > 1 && named.length > 0 ? `${named.slice(0, 12).join(", ")}${named.length > 12 ? ", …" : ""}: ` : "";
    return html`<span class="fault">✗ ${all.length > 1 && `${all.length} × `}${which}${fault}</span>`;
  });
}

function nameSpeaker({ type, role, parts }: DrawnEntry): [name: string, colour: string] {
  if (type !== "message") return ["", "other"];
  if (role === "user" || role === "assistant") return [role, role];
  return parts.some(({ kind }) => kind === "result")
    ? ["result", "result"]
    : [printable(role || "no role", 30), "other"];
}

function recordWords({ type, note }: DrawnEntry): string {
  if (note?.kind === "aborted")
    return "openclaw-integrity: a move of the agent that failed; the conversation continued here";
  if (note?.kind === "rollback")
    return (
      "openclaw-integrity: the conversation was rolled back to this " +
      `point${note.checkpointId === undefined ? "" : ` (checkpoint ${shortened(note.checkpointId)})`}`
    );
  if (note?.kind === "kept")
    return "openclaw-integrity: the previous message had no answer when OpenClaw ended, and was kept";
  if (note?.kind === "repair") return "openclaw-integrity: the conversation was repaired up to here";
  if (type === "compaction") return "a summary: earlier messages are no longer sent, except those that it keeps";
  if (type === "reset") return "a reset: earlier messages are no longer sent";
  return `record: ${printable(type, 40)}`;
}

function partMark(part: DrawnPart, anchor: Anchor): Markup {
  const { kind, type, length, faults } = part;
  const size = html`<i>${length.toLocaleString("en")}</i>`;
  const content =
    kind === "call" || kind === "result"
      ? html`${callLabel(kind, part.link, anchor)}${toolMark(part)} ${size}${flags(part)}`
      : html`${kind === "other" ? html`<bdi>${printable(type, 40)}</bdi>` : kind} ${size}`;
  return html`<span class="part${faults.length > 0 && " faulty"}">${content}</span>`;
}

function toolMark({ tool, callId = "" }: DrawnPart): Markup {
  return html`<bdi>${printable(tool, 60)}</bdi> <code>${callId === "" ? "no id" : shortened(callId)}</code>`;
}

function flags({ kind, faults, link, isError, isInvented }: DrawnPart): Content {
  const isOpen = kind === "call" && faults.length === 0 && link?.results.length === 0;
  return [
    isError === true && html`<i>, an error</i>`,
    isInvented === true && html`<i>, placeholder for a missing result</i>`,
    isOpen && html`<i>, no result yet</i>`,
  ];
}

/** Renders the label that a call and its results share, as a link to the other end. */
function callLabel(kind: "call" | "result", link: DrawnPart["link"], anchor: Anchor): Content {
  if (link === undefined) return html`<span class="call-label">${kind}</span> `;
  const target = kind === "call" ? link.results[0] : link.call;
  const label = kind === "call" ? `call ${link.label}` : `answers ${link.label}`;
  return anchor && target !== undefined && anchor.drawn.has(target)
    ? html`<a class="call-label" href="#s${anchor.session}m${target}">${label}</a> `
    : html`<span class="call-label">${label}</span> `;
}

function gutter(cells: readonly CallLineCell[], width: number): Markup {
  const columns = Array.from({ length: width }, (_, at) => cells[at]);
  return html`<span class="call-lines" aria-hidden="true">${columns.map((cell) => html`<span class="call-line ${cell === undefined ? "none" : `${cell.line} ${cell.touches}${cell.isFaulty ? " broken" : ""}`}"></span>`)}</span>`;
}

function departure(path: Departure): Markup {
  return html`<details class="departure"><summary>${departureMark(path)}</summary>${lines(path.items, undefined)}</details>`;
}

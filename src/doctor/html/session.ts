import { describeFaults } from "../../health/index.ts";
import type { CheckedSession } from "../checkup.ts";
import type { Drawing } from "../drawing/drawing.ts";
import { formatMinute } from "../../base/time.ts";
import type { Severity } from "../severity.ts";
import { conversationName, counted } from "../words.ts";
import { printable, WHOLE } from "../printable.ts";
import { commandBox } from "./command-box.ts";
import { conversation } from "./conversation.ts";
import { GROUPS } from "./groups.ts";
import { sessionHistory } from "./repair-history.ts";
import { html, type Content, type Markup } from "./markup.ts";
import { tree } from "./tree.ts";

/** How a session is rendered in its list. */
export interface SessionOptions {
  readonly severity: Severity;
  /** Where anchors of the session begin: `s12`. */
  readonly at: number;
  readonly isOpen: boolean;
  /** Whether the agent is named: there are several. */
  readonly withAgent: boolean;
}

/**
 * Renders one session as a line with its full id. The line can be opened where there is more: faults and what removes
 * them, the tree of its paths, the conversation, and its incidents and repairs.
 */
export function sessionItem(session: CheckedSession, options: SessionOptions): Markup {
  const { at, isOpen } = options;
  const hasMore = session.drawing !== undefined || session.remedy !== undefined || (session.words ?? []).length > 0;
  return hasMore
    ? html`<li class="s" id="s${at}"><details${isOpen && html` open`}><summary>${line(session, options)}</summary>
<div class="inside">${inside(session, at)}</div></details></li>
`
    : html`<li class="s" id="s${at}"><div class="line">${line(session, options)}</div></li>
`;
}

function line(session: CheckedSession, { severity, withAgent }: SessionOptions): Markup {
  const { session: summary, examination, unread } = session;
  const { sessionId, sessionKey, agentId, updatedAt } = summary;
  const title =
    sessionKey === undefined
      ? html`<span class="soft">no conversation</span>`
      : html`<bdi>${conversationName(summary)}</bdi>`;
  const why = unread === undefined ? examination && describeFaults(examination) : [unread];
  const open = examination?.openCalls ?? 0;
  const notes = [...(why ?? []), ...(open > 0 ? [`${counted(open, "call")} without a result yet`] : [])];
  return html`<span class="sign ${severity}" aria-hidden="true">${GROUPS[severity].sign}</span><b>${title}${withAgent && html` <small>of <bdi>${agentId}</bdi></small>`}</b><code>${printable(sessionId, WHOLE)}</code><span class="num">${examination && counted(examination.messages, "message")}</span><span class="when">${formatMinute(updatedAt)}</span>${notes.length > 0 && html`<span class="why">${notes.join("; ")}</span>`}`;
}

function inside(session: CheckedSession, at: number): Content {
  const { drawing, session: summary } = session;
  const { sessionKey, agentId, place, kind } = summary;
  const isBranched = drawing !== undefined && (drawing.departures > 0 || (session.checkpoints ?? []).length > 0);
  return html`${whatToDo(session)}
<p class="soft">${sessionKey !== undefined && html`<code>${printable(sessionKey, WHOLE)}</code> `}of agent <bdi>${agentId}</bdi>, ${kind === "file" ? "transcript" : "rows of"} <code>${place}</code>.</p>
${(session.words ?? []).length > 0 && html`<ul class="words">${session.words!.map((words) => html`<li>${words}</li>`)}</ul>`}
${
  isBranched &&
  html`<h4>Checkpoints and departures</h4>
${tree(drawing)}`
}
${
  drawing &&
  html`<h4>The conversation</h4>
<p class="soft">${span(drawing)}</p>
${drawing.line.length === 0 ? html`<p class="soft">The conversation is empty.</p>` : conversation(drawing, at)}`
}
${sessionHistory(session)}`;
}

/** Returns the times of the first and the last entry. */
function span({ line: items }: Drawing): Content {
  const times = items.flatMap((item) => (item.kind === "entry" ? (item.entry.at ?? []) : []));
  // A repair appends copies of messages with their times, so the last entry may not be the latest.
  return (
    times.length > 0 &&
    `From ${formatMinute(times.reduce((one, other) => Math.min(one, other)))} ` +
      `to ${formatMinute(times.reduce((one, other) => Math.max(one, other)))}. `
  );
}

function whatToDo({ examination, remedy }: CheckedSession): Content {
  if (examination === undefined) return undefined;
  const { openCalls, leftOut } = examination;
  return html`${remedy?.by === "repair" && html`<p>To repair it:</p>${commandBox(remedy.command)}`}
${remedy?.by === "none" && html`<p>Needs no repair: its conversation has left this session, and no turn is sent from it.</p>`}
${remedy?.by === "patch" && html`<p>A repair of the store cannot fix this: what is missing is lost. The patched OpenClaw tells the model so in each request.</p>`}
${openCalls > 0 && html`<p class="soft">${counted(openCalls, "call")} at the end ${openCalls === 1 ? "has" : "have"} no result yet: a turn is under way, or was when OpenClaw ended.</p>`}
${leftOut > 0 && html`<p class="soft">${counted(leftOut, "fault")} of turns that failed do no harm: OpenClaw leaves such turns out of what it sends.</p>`}`;
}

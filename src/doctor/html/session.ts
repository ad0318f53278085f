import { faultsOf } from "../../health/index.ts";
import type { CheckedSession } from "../checkup.ts";
import type { Drawing } from "../drawing/drawing.ts";
import { minuteOf } from "../../base/time.ts";
import { counted, titleOf, WHICH_OPENCLAW } from "../words.ts";
import { conversation } from "./conversation.ts";
import { sessionHistory } from "./repair-history.ts";
import { html, type Content, type Markup } from "./markup.ts";
import { state } from "./overview.ts";
import { tree } from "./tree.ts";

/**
 * Renders one session: its faults and what removes them, the tree of its paths, the conversation, and its incidents and
 * repairs.
 */
export function sessionSection(session: CheckedSession, at: number, isOpen: boolean): Markup {
  const { session: summary, drawing, examination } = session;
  const { sessionId, agentId, place, kind, updatedAt } = summary;
  if (drawing === undefined) return html``;
  const isBranched = drawing.departures > 0 || (session.checkpoints ?? []).length > 0;
  return html`<details class="session"${isOpen && html` open`}><summary><h3><bdi>${titleOf(summary)}</bdi></h3> ${state(session)} <span class="soft">${counted(examination?.messages ?? 0, "message")}</span></summary>
<p class="soft" id="s${at}">Session <code>${sessionId}</code> of agent <bdi>${agentId}</bdi>, ${kind === "file" ? "transcript" : "rows of"} <code>${place}</code>, last written ${minuteOf(updatedAt)}.</p>
${faults(session)}
${
  isBranched &&
  html`<h4>Checkpoints and departures</h4>
${tree(drawing)}`
}
<h4>The conversation</h4>
<p class="soft">${span(drawing)}The number after a block is its length in characters.</p>
${drawing.line.length === 0 ? html`<p class="soft">The conversation is empty.</p>` : conversation(drawing, at)}
${sessionHistory(session)}
</details>
`;
}

/** Returns the times of the first and the last entry. */
function span({ line }: Drawing): Content {
  const times = line.flatMap((item) => (item.kind === "entry" ? (item.entry.at ?? []) : []));
  // A repair appends copies of messages with their times, so the last entry may not be the latest.
  return (
    times.length > 0 &&
    `From ${minuteOf(times.reduce((one, other) => Math.min(one, other)))} to ${minuteOf(times.reduce((one, other) => Math.max(one, other)))}. `
  );
}

function faults({ session, examination, remedy }: CheckedSession): Content {
  if (examination === undefined) return undefined;
  const found = faultsOf(examination);
  const { openCalls, leftOut } = examination;
  return html`${found.length > 0 && html`<ul class="faultlist">${found.map((fault) => html`<li>${fault}</li>`)}</ul>`}
${remedy?.by === "repair" && html`<p>To repair it (the original is kept):</p><code class="command">${remedy.command}</code>${session.kind === "rows" && html`<p class="soft">${WHICH_OPENCLAW}</p>`}`}
${remedy?.by === "patch" && html`<p>A repair of the store cannot fix this: what is missing is lost. The patched OpenClaw tells the model so in each request.</p>`}
${openCalls > 0 && html`<p class="soft">${counted(openCalls, "call")} at the end ${openCalls === 1 ? "has" : "have"} no result yet: a turn is under way, or was when OpenClaw ended.</p>`}
${leftOut > 0 && html`<p class="soft">${counted(leftOut, "fault")} of turns that failed do no harm: OpenClaw leaves such turns out of what it sends.</p>`}`;
}

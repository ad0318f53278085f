import type { CheckedSession, Checkup } from "../checkup.ts";
import { minuteOf } from "../../base/time.ts";
import { conversationName, counted, hasFaults, nextStep, stateName, tally } from "../words.ts";
import { html, type Markup } from "./markup.ts";

/** Maximum number of rows of the table; a checkup of one agent or one session shows the others. */
const ROWS = 1000;

/** Renders the counts, the nextstep and the table of all sessions. */
export function overview(checkup: Checkup): Markup {
  const { sessions, journal, problems, incidents, leftBehind } = checkup;
  const { all, valid, faulty, unread } = tally(checkup);
  const { sentence, command } = nextStep(checkup);
  return html`<ul class="cards">
${card(all, "sessions")}
${card(valid, "valid", "good")}
${card(faulty, "with faults", faulty > 0 ? "bad" : "")}
${unread > 0 && card(unread, "not read", "bad")}
${
  journal.checkpoints &&
  card(
    sessions.reduce((sum, { checkpoints = [] }) => sum + checkpoints.length, 0),
    "checkpoints",
  )
}
${card(incidents.list.length + incidents.older, "incidents")}
</ul>
<div class="next${faulty + unread > 0 && " alarm"}"><p>${sentence}</p>${command !== undefined && html`<code class="command">${command}</code>`}</div>
${problems.map((problem) => html`<p class="bad">${problem}</p>`)}
${journal.sentence !== undefined && html`<p class="soft">${journal.sentence}</p>`}
${leftBehind.length > 0 && leftOver(leftBehind.length)}
${all > 0 && table(sessions)}`;
}

function leftOver(sessions: number): Markup {
  return html`<p class="soft">
    Data of${counted(sessions, "session")} that OpenClaw has deleted is still stored:
<code>openclaw-integrity purge --list</code></p>`;
}

function card(count: number, what: string, colour = ""): Markup {
  return html`<li><b class="${colour}">${count.toLocaleString("en")}</b>${what}</li>`;
}

function table(sessions: readonly CheckedSession[]): Markup {
  const heads = ["Conversation", "Agent", "State", "Messages", "Checkpoints", "Incidents", "Last written"];
  const classes = ["", "narrow-off", "", "num narrow-off", "num narrow-off", "num narrow-off", "when"];
  return html`<h2 id="sessions">Sessions</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="sessions"><table>
<thead><tr>${heads.map((head, at) => html`<th scope="col" class="${classes[at]}">${head}</th>`)}</tr></thead>
<tbody>
${sessions.slice(0, ROWS).map(row)}
</tbody></table></div>
${sessions.length > ROWS && html`<p class="soft">${counted(sessions.length - ROWS, "older session")} more ${sessions.length === ROWS + 1 ? "is" : "are"} left out of the table. <code>openclaw-integrity sessions list</code> shows all of them.</p>`}`;
}

function row(session: CheckedSession, at: number): Markup {
  const { examination, checkpoints, incidents, drawing } = session;
  const { agentId, updatedAt } = session.session;
  const name = conversationName(session.session);
  const written = minuteOf(updatedAt);
  return html`<tr><th scope="row">${drawing ? html`<a href="#s${at}"><bdi>${name}</bdi></a>` : html`<bdi>${name}</bdi>`}</th><td class="narrow-off"><bdi>${agentId}</bdi></td><td class="state">${state(session)}</td><td class="num narrow-off">${examination?.messages.toLocaleString("en") ?? "–"}</td><td class="num narrow-off">${checkpoints?.length ?? "–"}</td><td class="num narrow-off">${incidents.length}</td><td class="when">${written.slice(0, 10)}<span class="narrow-off">${written.slice(10)}</span></td></tr>
`;
}

/** Renders the state of a session with a sign and words, not by colour alone. */
export function state(session: CheckedSession): Markup {
  if (session.unread !== undefined || session.examination === undefined)
    return html`<span class="bad">? not read</span>`;
  return hasFaults(session)
    ? html`<span class="bad">✗ ${stateName(session)}</span>`
    : html`<span class="good">✓ ${stateName(session)}</span>`;
}

import type { CheckedSession, Checkup } from "../checkup.ts";
import { formatMinute } from "../../base/time.ts";
import { bySeverity, judgedBy, SEVERITIES } from "../severity.ts";
import { hasFaults, isRefused, REFUSES, WHICH_OPENCLAW } from "../words.ts";
import { GROUPS, explainSeverity } from "./groups.ts";
import { repairHistory } from "./repair-history.ts";
import { renderDocument } from "./document.ts";
import { html, type Markup } from "./markup.ts";
import { overview } from "./overview.ts";
import { SCRIPT } from "./search.ts";
import { sessionItem } from "./session.ts";
import { STYLE } from "./style.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** A longer list of harmless faults is folded; the worst is never. */
const MAX_OPEN = 20;

/** Options of the page. */
export interface PageOptions {
  /** Whether the checkup contains words of conversations; the page then says so. */
  readonly withWords: boolean;
}

/**
 * Renders the checkup as one self-contained page: no network, no font. Everything is readable without its one script,
 * which searches and copies commands. All text of transcripts is escaped, and the page's content security policy permits that script and
 * the style sheet by their hashes and nothing else. Without `withWords` the page contains no text of conversations. The
 * work and the size grow linearly with the number of sessions.
 */
export function renderCheckupPage(checkup: Checkup, { withWords }: PageOptions): string {
  const { sessions, at, stateDirectory } = checkup;
  return renderDocument({
    title: `Sessions of OpenClaw, ${formatMinute(at)} UTC`,
    style: STYLE,
    script: SCRIPT,
    content: html`<h1>Sessions of OpenClaw</h1>
<p class="soft">Checked at ${formatMinute(at)} UTC, in <code>${stateDirectory}</code>. ${withWords ? "The first words of messages are shown: share this page with care." : "This page contains no text of conversations."} All times are UTC.</p>
${sessions.length > 0 && html`<div id="find" hidden><label for="q">Search sessions</label><input id="q" type="search" autocomplete="off" spellcheck="false" placeholder="name, id, agent or fault"><output for="q" role="status"></output></div>`}
<div id="overview">${overview(checkup)}</div>
${sessions.length > 0 && list(checkup)}
${repairHistory(checkup)}
${sessions.some(({ drawing }) => drawing !== undefined) && key()}
`,
  });
}

/** Lists all sessions by severity. The valid ones are folded. */
function list(checkup: Checkup): Markup {
  const { sessions, openclaws } = checkup;
  const groups = bySeverity(
    [...sessions.entries()].map(([at, session]) => ({ ...session, at })),
    judgedBy(openclaws),
  );
  const withAgent = new Set(sessions.map(({ session }) => session.agentId)).size > 1;
  const faulty = sessions.filter(hasFaults);
  const isOpen = (session: CheckedSession): boolean =>
    sessions.length === 1 || (faulty.length === 1 && hasFaults(session));
  let isFirst = true;
  const rendered = SEVERITIES.map((severity) => {
    const members = groups.get(severity)!;
    if (members.length === 0) return undefined;
    const isGroupOpen = sessions.length === 1 || (severity !== "sound" && (isFirst || members.length <= MAX_OPEN));
    isFirst = false;
    return html`<details class="group" id="${severity}"${isGroupOpen && html` open`}><summary><h2><span class="sign ${severity}" aria-hidden="true">${GROUPS[severity].sign}</span>${GROUPS[severity].heading} <span class="count">${members.length.toLocaleString("en")}</span></h2></summary>
<p class="soft">${explainSeverity(severity, checkup)}</p>${members.some(isRefused) && html`<p class="soft">${REFUSES}</p>`}
<ul class="list">
${members.map((member) => sessionItem(member, { severity, at: member.at, isOpen: isOpen(member), withAgent }))}</ul></details>
`;
  });
  const repaired = sessions.filter(({ remedy }) => remedy?.by === "repair");
  return html`${repaired.length > 0 && html`<p class="soft">A repair keeps the original.${repaired.some(({ session }) => session.kind === "rows") && ` ${WHICH_OPENCLAW}`}</p>`}
${rendered}`;
}

function key(): Markup {
  return html`<details class="fold"><summary>How to read the drawings</summary>
<dl class="key">
<dt>The line</dt><dd>One row per message, from the first to the last, with its number among the messages that a model is sent, its
        role, and its blocks: kind, tool, id, and length in characters.</dd>
<dt class="result">○─┐ on the left</dt><dd>A line from the calls of a message to their results. <b>12a</b> is the first call of message 12; its result says <b>answers 12a</b>. A broken red line: one of them is at fault.</dd>
<dt class="bad">✗</dt><dd>A fault, at the message and block that it concerns.</dd>
<dt class="good">●</dt><dd>Where the conversation continues.</dd>
<dt>◆ checkpoint</dt><dd>A place that the conversation can be rolled back to. <code>${ownCommand("checkpoints show")} &lt;id&gt;</code> shows what a rollback would change.</dd>
<dt>↳ path that was left</dt><dd>Messages that are still stored but no longer part of the conversation: after a repair, a rollback, a rewind or an edit, or where the agent itself moved to another place.</dd>
<dt>⇠ left, ⇢ arrived</dt><dd>A move through the history: the entry that the agent or the operator left, and the entry with the note that was carried over. <code>${ownCommand("timeline log")} &lt;session&gt;</code> lists all of them.</dd>
<dt>… valid messages</dt><dd>Messages with nothing to report, collapsed into one row.</dd>
</dl></details>`;
}

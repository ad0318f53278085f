import type { CheckedSession, Checkup } from "../checkup.ts";
import { minuteOf } from "../../base/time.ts";
import { counted, hasFaults } from "../words.ts";
import { repairHistory } from "./repair-history.ts";
import { html, type Markup } from "./markup.ts";
import { overview } from "./overview.ts";
import { sessionSection } from "./session.ts";
import { STYLE } from "./style.ts";

/** Options of the page. */
export interface PageOptions {
  /** Whether the checkup contains words of conversations; the page then says so. */
  readonly withWords: boolean;
}

/**
 * Renders the checkup as one self-contained page: no network, no script, no font. All text of transcripts is escaped,
 * and the page's content security policy forbids scripts and requests as well. Without `withWords` the page contains no * text of conversations.
 */
export function pageOf(checkup: Checkup, { withWords }: PageOptions): string {
  const { sessions, at, stateDirectory } = checkup;
  // The numbers are indexes in the list of sessions, so that links from the table find the drawings.
  const shown = [...sessions.entries()]
    .filter(([, { drawing }]) => drawing !== undefined)
    .toSorted(([, one], [, other]) => Number(hasFaults(other)) - Number(hasFaults(one)));
  return html`<!DOCTYPE html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'">
<meta name="referrer" content="no-referrer">
<title>Sessions of OpenClaw, ${minuteOf(at)} UTC</title>
<style>${STYLE}</style>
</head>
<body>
<main>
<h1>Sessions of OpenClaw</h1>
<p class="soft">Checked at ${minuteOf(at)} UTC, in <code>${stateDirectory}</code>. ${withWords ? "The first words of messages are shown: share this page with care." : "This page contains no text of conversations."} All times are UTC.</p>
${overview(checkup)}
${shown.length > 0 && conversations(shown, sessions)}
${repairHistory(checkup)}
</main>
</body>
</html>
`.text;
}

function conversations(
  shown: readonly (readonly [number, CheckedSession])[],
  sessions: readonly CheckedSession[],
): Markup {
  const left = sessions.filter(({ unread }) => unread === undefined).length - shown.length;
  // Sessions with faults are expanded, and a session that is alone.
  const isOpen = (session: CheckedSession): boolean => hasFaults(session) || shown.length === 1;
  return html`<h2 id="conversations">Conversations</h2>
${key()}
${shown.map(([at, session]) => sessionSection(session, at, isOpen(session)))}
${left > 0 && html`<p class="soft">${counted(left, "session")} more ${left === 1 ? "is" : "are"} in the table but not drawn, to keep this page small. <code>openclaw-integrity sessions doctor &lt;session&gt; --html &lt;file&gt;</code> draws one.</p>`}`;
}

function key(): Markup {
  return html`<details><summary>How to read the drawings</summary>
<dl class="key">
<dt>The line</dt><dd>One row per message, from the first to the last, with its number among the messages that a model is sent, its
        role, and its blocks: kind, tool, id, and length in characters.</dd>
<dt class="result">○─┐ on the left</dt><dd>A line from the calls of a message to their results. <b>12a</b> is the first call of message 12; its result says <b>answers 12a</b>. A broken red line: one of them is at fault.</dd>
<dt class="bad">✗</dt><dd>A fault, at the message and block that it concerns.</dd>
<dt class="good">●</dt><dd>Where the conversation continues.</dd>
<dt>◆ checkpoint</dt><dd>A place that the conversation can be rolled back to. <code>openclaw-integrity checkpoints show &lt;id&gt;</code> shows what a rollback would change.</dd>
<dt>↳ path that was left</dt><dd>Messages that are still stored but no longer part of the conversation: after a repair, a rollback, a rewind or an edit, or where the agent itself moved to another place.</dd>
<dt>⇠ left, ⇢ arrived</dt><dd>A move through the history: the entry that the agent or the operator left, and the entry with the note that was carried over. <code>openclaw-integrity timeline log &lt;session&gt;</code> lists all of them.</dd>
<dt>… valid messages</dt><dd>Messages with nothing to report, collapsed into one row.</dd>
</dl></details>`;
}

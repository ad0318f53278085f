import type { Archive, CheckedSession, Checkup, Incident } from "../checkup.ts";
import { printable, shortened } from "../printable.ts";
import { minuteOf } from "../../base/time.ts";
import { counted } from "../words.ts";
import { html, type Content, type Markup } from "./markup.ts";

/** Maximum number of rows of a list; the youngest come first. */
const ROWS = 100;

/** Renders the archives and incidents of all sessions. */
export function repairHistory({ archives, incidents }: Checkup): Markup {
  const rest = incidents.older + Math.max(0, incidents.list.length - ROWS);
  return html`${
    archives.length > 0 &&
    html`<h2 id="archives">Archives that can be restored</h2>
<p class="soft">Each holds a session as it was before a change. To restore one:</p>
<div class="scroll" tabindex="0" role="region" aria-labelledby="archives"><table><thead><tr><th scope="col">Archived at</th><th scope="col">Session</th><th scope="col">Command</th></tr></thead>
<tbody>${archives.slice(0, ROWS).map(archiveRow)}</tbody></table></div>
${archives.length > ROWS && html`<p class="soft">${counted(archives.length - ROWS, "older archive")} left out.</p>`}`
  }
${
  incidents.list.length > 0 &&
  html`<h2 id="incidents">Incidents</h2>
<div class="scroll" tabindex="0" role="region" aria-labelledby="incidents"><table><thead><tr><th scope="col">When</th><th scope="col">Session</th><th scope="col">What</th><th scope="col">What was done</th></tr></thead>
<tbody>${incidents.list.slice(0, ROWS).map(incidentRow)}</tbody></table></div>
${rest > 0 && html`<p class="soft">${counted(rest, "older incident")} left out; they are in <code>logs/</code> of the state directory.</p>`}`
}
${incidents.damaged > 0 && html`<p class="soft">${counted(incidents.damaged, "file")} of incidents could not be read.</p>`}`;
}

function archiveRow({ at, sessionId, messages, size = 0, command }: Archive): Markup {
  return html`<tr><td class="when">${minuteOf(at)}</td><td><code>${shortened(sessionId)}</code><br><small>${messages === undefined ? `${Math.max(1, Math.round(size / 1024)).toLocaleString("en")} KB` : counted(messages, "message")}</small></td><td><code>${command}</code></td></tr>`;
}

function incidentRow({ at, sessionId, sessionKey, what, outcome }: Incident): Markup {
  return html`<tr><td class="when">${minuteOf(at)}</td><td><bdi>${printable(sessionKey ?? (sessionId === undefined ? "–" : shortened(sessionId)))}</bdi></td><td>${what}</td><td>${outcome}</td></tr>`;
}

/** Renders the incidents, archives, notes and rollbacks of one session, the youngest first. */
export function sessionHistory({ archives, incidents, checkpoints = [], drawing }: CheckedSession): Content {
  const events: [at: number | undefined, what: Markup][] = [
    ...incidents.map(({ at, what, outcome }): [number | undefined, Markup] => [at, html`${what}: ${outcome}`]),
    ...archives.map(({ at, command }): [number | undefined, Markup] => [
      at,
      html`archived before a change; to restore the archive: <code class="command">${command}</code>`,
    ]),
    // A move is not a repair.
    ...(drawing?.notes ?? []).flatMap(({ at, kind, checkpointId }): [number | undefined, Markup][] =>
      kind === "arrival" || kind === "aborted"
        ? []
        : [
            [
              at,
              html`${NOTES[kind]}${checkpointId !== undefined && html` (checkpoint <code>${shortened(checkpointId)}</code>)`}`,
            ],
          ],
    ),
    ...checkpoints.flatMap(({ id, rolledBackAt }): [number, Markup][] =>
      rolledBackAt === undefined
        ? []
        : [[rolledBackAt, html`rolled back to checkpoint <code>${shortened(id)}</code>, as the journal records`]],
    ),
  ];
  if (events.length === 0) return undefined;
  const sorted = events.toSorted(([one = 0], [other = 0]) => other - one);
  return html`<h4>Repairs and incidents</h4>
<table><tbody>${sorted.slice(0, ROWS).map(([at, what]) => html`<tr><th scope="row" class="when">${minuteOf(at)}</th><td>${what}</td></tr>`)}</tbody></table>
${sorted.length > ROWS && html`<p class="soft">${counted(sorted.length - ROWS, "older entry")} left out.</p>`}`;
}

const NOTES = {
  rollback: " note in the transcript: rolled back",
  repair: "note in the transcript: repaired",
  kept: "note in the transcript: kepta message that had no answer when OpenClaw ended",
} as const;

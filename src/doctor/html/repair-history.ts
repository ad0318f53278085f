import { archiveWords } from "../archive-faults.ts";
import type { Archive, CheckedSession, Checkup, Incident } from "../checkup.ts";
import { printable, shortened, WHOLE } from "../printable.ts";
import { formatMinute } from "../../base/time.ts";
import { counted } from "../words.ts";
import { html, type Content, type Markup } from "./markup.ts";
import { commandBox } from "./command-box.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** Maximum number of rows of a list; the youngest come first. */
const ROWS = 100;

/** Renders the archives and incidents of all sessions, folded, each as a block that fits a narrow screen. */
export function repairHistory({ archives, incidents }: Checkup): Markup {
  const all = incidents.list.length + incidents.older;
  return html`${
    archives.length > 0 &&
    html`<details class="fold" id="archives"><summary><h2>Archives that can be restored <span class="count">${archives.length.toLocaleString("en")}</span></h2></summary>
<p class="soft">Each holds a session as it was before a change. ${archives.length > ROWS && html`The youngest ${ROWS} are shown; all: <code>${ownCommand("sessions doctor")} --json</code>`}</p>
<ul class="list">${archives.slice(0, ROWS).map(archiveItem)}</ul></details>`
  }
${
  all > 0 &&
  html`<details class="fold" id="incidents"><summary><h2>Incidents <span class="count">${all.toLocaleString("en")}</span></h2></summary>
${all > ROWS && html`<p class="soft">The youngest ${Math.min(ROWS, incidents.list.length)} are shown; the files of all are in <code>logs/</code> of the state directory.</p>`}
<ul class="list">${incidents.list.slice(0, ROWS).map(incidentItem)}</ul></details>`
}
${incidents.damaged > 0 && html`<p class="soft">${counted(incidents.damaged, "file")} of incidents could not be read.</p>`}`;
}

function archiveItem(archive: Archive): Markup {
  const { at, sessionId, messages, size = 0, command } = archive;
  const words = archiveWords(archive);
  return html`<li class="event"><span class="when">${formatMinute(at)}</span> <code>${printable(sessionId, WHOLE)}</code> <span class="soft">${messages === undefined ? `${Math.max(1, Math.round(size / 1024)).toLocaleString("en")} KB` : counted(messages, "message")}</span>${words !== "" && html` <span class="bad">${words}</span>`}${commandBox(command)}</li>
`;
}

function incidentItem({ at, sessionId, sessionKey, what, outcome }: Incident): Markup {
  return html`<li class="event"><span class="when">${formatMinute(at)}</span> ${sessionKey !== undefined && html`<bdi>${printable(sessionKey, WHOLE)}</bdi> `}${sessionId !== undefined && html`<code>${printable(sessionId, WHOLE)}</code>`}<div>${what}: <b>${outcome}</b></div></li>
`;
}

/** Renders the incidents, archives, notes and rollbacks of one session, the youngest first. */
export function sessionHistory({ archives, incidents, checkpoints = [], drawing }: CheckedSession): Content {
  const events: [at: number | undefined, what: Markup][] = [
    ...incidents.map(({ at, what, outcome }): [number | undefined, Markup] => [at, html`${what}: ${outcome}`]),
    ...archives.map((archive): [number | undefined, Markup] => {
      const words = archiveWords(archive);
      return [
        archive.at,
        html`archived before a change${words !== "" && html` (<span class="bad">${words}</span>)`}; to restore the archive: ${commandBox(archive.command)}`,
      ];
    }),
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
${sorted.length > ROWS && html`<p class="soft">The youngest ${ROWS} of ${sorted.length.toLocaleString("en")} are shown.</p>`}
<ul class="list">${sorted.slice(0, ROWS).map(([at, what]) => html`<li class="event"><span class="when">${formatMinute(at)}</span> ${what}</li>`)}</ul>`;
}

const NOTES = {
  rollback: "note in the transcript: rolled back",
  repair: "note in the transcript: repaired",
  kept: "note in the transcript: kept a message that had no answer when OpenClaw ended",
} as const;

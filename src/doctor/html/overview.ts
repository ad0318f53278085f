import type { Checkup, OpenClawAtHand, Step } from "../checkup.ts";
import { gatewaySentences } from "../gateways.ts";
import { patchWords } from "../patched.ts";
import { bySeverity, judgedBy, SEVERITIES } from "../severity.ts";
import { counted, needsNoRepair, nextStep, tally } from "../words.ts";
import { commandBox } from "./command-box.ts";
import { GROUPS } from "./groups.ts";
import { html, type Content, type Markup } from "./markup.ts";
import { picture } from "./picture.ts";
import { formatMinute } from "../../base/time.ts";
import { printable } from "../printable.ts";
import { ownCommand } from "../../base/commands/own-command.ts";

/** An address and the name of a model. */
const MAX_NAME = 300;
const MAX_WORK = 20;

const SIGNS = { good: "✓", todo: "!", bad: "✗" } as const;

/** Renders what a person has to know first: whether OpenClaw is patched, the whole, what to do, what is not shown. */
export function overview(checkup: Checkup): Markup {
  const { sessions, journal, problems, leftBehind, openclaws, routes, work = [] } = checkup;
  const { faulty, unread } = tally(checkup);
  const isHarmless = needsNoRepair(checkup);
  const isAlarm = unread > 0 || (faulty > 0 && !isHarmless);
  const { afterwards, ...next } = nextStep(checkup);
  const groups = bySeverity(sessions, judgedBy(openclaws));
  return html`${openclaws !== undefined && html`<div class="patch">${patchLines(openclaws)}${gatewaySentences(checkup.gateways).map(gatewayItem)}</div>`}
${
  work.length > 0 &&
  html`<div class="next alarm"><p><b>Recorded work that needs you</b></p>${work.slice(0, MAX_WORK).map(stepItem)}${work.length > MAX_WORK && stepItem({ sentence: `And ${(work.length - MAX_WORK).toLocaleString("en")} more, which this shows:`, command: ownCommand("continuity status") })}</div>`
}
${
  sessions.length > 1 &&
  picture(
    SEVERITIES.map((severity) => ({ severity, ...GROUPS[severity], count: groups.get(severity)!.length })),
    isHarmless,
  )
}
<div class="next${isAlarm && " alarm"}">${stepItem(next)}${afterwards !== undefined && stepItem(afterwards)}</div>
${problems.map((problem) => html`<p class="bad">${problem}</p>`)}
${notDrawn(checkup)}
${journal.sentence !== undefined && html`<p class="soft">${journal.sentence}</p>`}
${
  routes.length > 0 &&
  html`<p class="soft">Learned of the routes to models:</p><ul class="soft">${routes.map(({ name, facts }) => html`<li><code>${printable(name, MAX_NAME)}</code>: ${facts.map(({ sentence, learnedAt }) => `${sentence} (${formatMinute(learnedAt)} UTC)`).join("; ")}</li>`)}</ul>`
}
${
  leftBehind.length > 0 &&
  html`<p class="soft">Data of ${counted(leftBehind.length, "session")} that OpenClaw has deleted is still stored:</p>${commandBox(`${ownCommand("purge")} --list`)}`
}`;
}

function stepItem({ sentence, command }: Step): Markup {
  return html`<p>${sentence}</p>${command !== undefined && commandBox(command)}`;
}

function patchLines(openclaws: readonly OpenClawAtHand[]): Content {
  if (openclaws.length === 0)
    return html`<p>No OpenClaw was found here: faults are judged by the releases that read the store.</p>`;
  return openclaws.map((openclaw) => {
    const { sentence, tone, command } = patchWords(openclaw);
    return html`<p><b class="${tone}">${SIGNS[tone]} ${sentence}</b> <code class="soft">${openclaw.root}</code></p>
${command !== undefined && commandBox(command)}`;
  });
}

function gatewayItem({ text, tone }: ReturnType<typeof gatewaySentences>[number]): Markup {
  return html`<p><b class="${tone}">${SIGNS[tone]} ${text}</b></p>`;
}

/** Renders how many conversations are not drawn, and what draws one. Every session is listed. */
function notDrawn({ sessions }: Checkup): Content {
  const readable = sessions.filter(({ unread }) => unread === undefined);
  const undrawn = readable.filter(({ drawing }) => drawing === undefined).length;
  return (
    undrawn > 0 &&
    html`<p class="soft">All ${counted(sessions.length, "session")} are listed. To keep the page small, the conversations of ${undrawn.toLocaleString("en")} are not drawn; this draws one:</p>${commandBox(`${ownCommand("sessions doctor")} SESSION --html FILE`)}`
  );
}

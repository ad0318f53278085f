import type { Severity } from "../severity.ts";
import { counted } from "../words.ts";
import { html, type Markup } from "./markup.ts";

/** One group of sessions in the picture. */
export interface Share {
  readonly severity: Severity;
  readonly name: string;
  readonly sign: string;
  readonly count: number;
}

const WIDTH = 1000;
const HEIGHT = 28;
/** Also one session of thousands is seen. */
const LEAST = 12;
const GAP = 3;

/**
 * Renders all sessions as one bar, with a legend that links to the groups. The worst is on the left. Without colours
 * where the patch takes their faults (`isHarmless`): red would say that something has to be done.
 */
export function picture(shares: readonly Share[], isHarmless: boolean): Markup {
  const shown = shares.filter(({ count }) => count > 0);
  const all = shown.reduce((sum, { count }) => sum + count, 0);
  const free = WIDTH - shown.length * LEAST - (shown.length - 1) * GAP;
  let x = 0;
  const bars = shown.map(({ severity, count }) => {
    const width = LEAST + (free * count) / all;
    const bar = html`<rect class="${severity}" x="${x.toFixed(1)}" y="0" width="${width.toFixed(1)}" height="${HEIGHT}"></rect>`;
    x += width + GAP;
    return bar;
  });
  const words = shown.map(({ name, count }) => `${count.toLocaleString("en")} ${name}`).join(", ");
  return html`<figure${isHarmless && html` class="healed"`}>
<svg role="img" aria-labelledby="whole" viewBox="0 0 ${WIDTH} ${HEIGHT}" preserveAspectRatio="none"><title id="whole">${counted(all, "session")}: ${words}</title>${bars}</svg>
<figcaption><ul class="legend">${shown.map(({ severity, name, sign, count }) => html`<li><a href="#${severity}"><span class="sign ${severity}" aria-hidden="true">${sign}</span><b>${count.toLocaleString("en")}</b> ${name}</a></li>`)}</ul></figcaption>
</figure>`;
}

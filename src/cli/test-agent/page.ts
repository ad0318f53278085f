import { groupBy } from "../../base/group-by.ts";
import { formatMinute } from "../../base/time.ts";
import type { AgentReport, CaseReport } from "../../conformance/index.ts";
import { STYLE } from "../../continuity-report/html/style.ts";
import { table } from "../../continuity-report/html/table.ts";
import { renderDocument } from "../../doctor/html/document.ts";
import { type Content, html } from "../../doctor/html/markup.ts";
import { countFaults, summary } from "./words.ts";

/** What the page shows. */
export interface AgentPage {
  /** The agent's command or address. */
  readonly agent: string;
  readonly form: string;
  readonly report: AgentReport;
  /** Milliseconds since 1970. */
  readonly at: number;
}

/**
 * Renders a report as one self-contained page: no script, no network, no font. What the agent and the provider say is
 * escaped, and the page's content security policy permits the style sheet by its hash and nothing else.
 */
export function renderAgentPage({ agent, form, report, at }: AgentPage): string {
  const kinds = [...groupBy(report.cases, ({ kind }) => kind)];
  return renderDocument({
    title: `Test of an agent, ${formatMinute(at)} UTC`,
    style: STYLE,
    content: html`<h1>Test of an agent</h1>
<p class="soft"><code>${agent}</code>, histories in the form ${form}, at ${formatMinute(at)} UTC.</p>
<div class="next${!report.conforms && " alarm"}"><p>${summary(report)}</p></div>
${table(
  { id: "faults", heading: "Faults", level: 2 },
  [
    { heading: "Fault", as: "nowrap" },
    { heading: "Cases", as: "grow" },
  ],
  countFaults(report).map(([kind, count]) => [kind, count]),
)}
${kinds.map(([kind, cases]) =>
  table(
    { id: kind, heading: kind, level: 2 },
    [
      { heading: "Case", as: "some" },
      { heading: "", as: "nowrap" },
      { heading: "Faults", as: "grow" },
      { heading: "Requests", as: "nowrap" },
      { heading: "Refused", as: "nowrap" },
    ],
    cases.map(caseCells),
  ),
)}
`,
  });
}

function caseCells({ about, outcome, faults, requests, refused }: CaseReport): Content[] {
  const isGood = outcome === "passed";
  return [
    about,
    outcome === "skipped"
      ? outcome
      : html`<span class="${isGood ? "good" : "bad"}">${isGood ? "✓" : "✗"} ${outcome}</span>`,
    faults.map(({ kind, detail }) => html`<p><b>${kind}</b> ${detail}</p>`),
    requests,
    refused,
  ];
}

import { constants } from "node:os";
import { resolve } from "node:path";
import { CodedError } from "../../base/coded-error.ts";
import { isTerminal, sayText, showProgress } from "../../base/terminal.ts";
import { type AgentReport, type CaseReport, type Form, makeCases, testAgent } from "../../conformance/index.ts";
import { assertPageFolder, putPage } from "../page-file.ts";
import { EXIT, type Outcome, type OutputOptions, runAsync, UsageError } from "../run.ts";
import { renderAgentPage } from "./page.ts";
import { countFaults, summary } from "./words.ts";

interface TestAgentOptions extends OutputOptions {
  readonly url?: string;
  readonly providerPort?: number;
  readonly form: Form;
  readonly only?: string;
  readonly limit: number;
  readonly html?: string;
  readonly cases?: boolean;
}

/** Added to the number of the signal, as shells do. */
const BY_SIGNAL = 128;
/** A longer one is in the JSON. */
const MAX_DETAIL = 400;

/**
 * `openclaw-integrity test-agent`: 0 where the agent conforms, 1 where it does not, 2 where it could not be tested.
 */
export async function testAgentCommand(command: readonly string[], options: TestAgentOptions): Promise<void> {
  // An exit, unlike a signal, ends the agent first.
  for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const)
    process.once(signal, () => process.exit(BY_SIGNAL + constants.signals[signal]));
  await runAsync(options, async () => {
    try {
      return await test(command, options);
    } catch (error) {
      // A code of its own: nothing is known of the agent.
      throw error instanceof CodedError ? new UsageError(error.message) : error;
    }
  });
}

async function test(command: readonly string[], options: TestAgentOptions): Promise<Outcome> {
  const { only = "", html, form, json = false, quiet = false } = options;
  const cases = makeCases(form).filter(({ id }) => id.includes(only));
  if (cases.length === 0)
    throw new UsageError(`expected --only to name cases; found no id with ${JSON.stringify(only)}. List them: --cases`);
  if (options.cases) {
    for (const one of cases) sayText(`${JSON.stringify(one)}\n`);
    return { data: { cases }, lines: [] };
  }
  const url = options.url === undefined ? undefined : readUrl(options.url);
  if (url === undefined && command.length === 0)
    throw new UsageError("expected an agent; found none. Name its command, as in: -- node agent.mjs, or its --url");
  const page = html === undefined ? undefined : resolve(html);
  if (page !== undefined) assertPageFolder(page);
  let played = 0;
  const onCase = ({ id }: CaseReport): void => showProgress(`${++played} of ${cases.length}: ${id}`.padEnd(79));
  const report = await testAgent({
    cases,
    command,
    limitMs: options.limit * 1000,
    ...(url && { url }),
    ...(options.providerPort !== undefined && { providerPort: options.providerPort }),
    ...(isTerminal("stderr") && !json && !quiet && { onCase }),
  });
  const agent = [...(url === undefined ? [] : [url.href]), ...command].join(" ");
  if (page !== undefined) putPage(page, renderAgentPage({ agent, form, report, at: Date.now() }));
  return {
    data: { agent, form, ...report },
    lines: [...report.cases.flatMap(caseLines), ...sumLines(report, page)],
    exit: report.conforms ? EXIT.ok : EXIT.refused,
  };
}

function readUrl(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url !== undefined && /^https?:$/.test(url.protocol)) return url;
  throw new UsageError(`expected --url to be an address as http://127.0.0.1:3000/; found ${JSON.stringify(text)}`);
}

const SIGNS = { passed: "✓", failed: "✗", skipped: "-" } as const;

function caseLines({ id, outcome, faults }: CaseReport): string[] {
  return [
    `${SIGNS[outcome]} ${id}${outcome === "skipped" ? ": skipped, no command starts the agent" : ""}`,
    ...faults.map(({ kind, detail }) => `    ${kind}: ${shortened(detail)}`),
  ];
}

function shortened(text: string): string {
  const line = text.replaceAll(/\s+/g, " ");
  return line.length > MAX_DETAIL ? `${line.slice(0, MAX_DETAIL)}…` : line;
}

function sumLines(report: AgentReport, page: string | undefined): string[] {
  const faults = countFaults(report).map(([kind, count]) => `  ${kind}: ${count}`);
  return [summary(report), ...faults, ...(page === undefined ? [] : [`The page is ${page}`])];
}

import type { Project, Pruned } from "../../continuity/index.ts";
import { tidyStore } from "../../continuity/removal.ts";
import { printable } from "../../doctor/printable.ts";
import { counted } from "../../doctor/words.ts";
import { storeError } from "../../store/errors.ts";
import { ask, asks, runAsking } from "../question.ts";
import type { Outcome } from "../run.ts";
import { authorOf, type Opened, selectPlace, projectOf, type ReadOptions, withContinuity } from "./base/store.ts";
import { timeText } from "./base/text.ts";

interface PruneCommandOptions extends ReadOptions {
  readonly before: Date;
  readonly dryRun?: boolean;
  readonly yes?: boolean;
}

/** `openclaw-integrity continuity prune`: removes the history of before a time. */
export async function pruneCommand(options: PruneCommandOptions): Promise<void> {
  await runAsking(options, async () => {
    const { isDone, ...outcome } = await withContinuity(options, (opened) => prune(opened, options));
    const place = selectPlace(options);
    // Pages of removed rows stay in the file, and their content in its log.
    const left = isDone
      ? await tidyStore("file" in place ? place : { connectionString: place.postgres, schema: place.schema })
      : undefined;
    return { ...outcome, ...(left === undefined ? {} : { warnings: [`${left}. The next prune removes it.`] }) };
  });
}

async function prune(opened: Opened, options: PruneCommandOptions): Promise<Outcome & { readonly isDone: boolean }> {
  const { before, dryRun = false, yes = false } = options;
  const author = authorOf({});
  const projects = (await projectsOf(opened, options)).map((project) => project.as(author));
  const all = async (dry: boolean): Promise<[Project, Pruned][]> => {
    const pruned: [Project, Pruned][] = [];
    for (const project of projects) pruned.push([project, await project.prune({ before, dryRun: dry })]);
    return pruned;
  };
  if (!dryRun && !yes && !asks(options))
    throw storeError("declined", {
      expected: "--yes, because removed history cannot be brought back",
      found: "no terminal to ask for confirmation",
      todo: "Run it with --dry-run to see how much would be removed. Nothing was removed.",
    });
  const at = timeText(before.toISOString());
  const nothing = `nothing of before ${at} to remove`;
  // Each ledger is replayed whenever it is pruned: a plan is made only for somebody who reads that.
  if (dryRun || asks(options)) {
    const planned = await all(true);
    if (dryRun || isNothing(planned)) {
      const what = isNothing(planned) ? nothing : `would be removed, of before ${at}`;
      return { ...toOutcome(opened.place, planned, what), isDone: false };
    }
    await ask(prunedLines(planned), `Remove the history of before ${at}? It cannot be brought back.`);
  }
  const done = await all(false);
  const isDone = !isNothing(done);
  return { ...toOutcome(opened.place, done, isDone ? `removed, of before ${at}` : nothing), isDone };
}

function isNothing(pruned: readonly [Project, Pruned][]): boolean {
  return pruned.every(([, { removed }]) => removed === 0);
}

function toOutcome(place: string, pruned: readonly [Project, Pruned][], what: string): Outcome {
  return {
    data: { place, projects: pruned.map(([{ project_id }, numbers]) => ({ project_id, ...numbers })) },
    lines: [what, ...prunedLines(pruned.filter(([, { removed }]) => removed > 0)).map((line) => `  ${line}`)],
  };
}

function prunedLines(pruned: readonly [Project, Pruned][]): string[] {
  return pruned.map(
    ([{ project_id }, { removed, kept }]) =>
      `${printable(project_id, 200)}: ${counted(removed, "event")}; ${counted(kept, "earlier event")} ` +
      `${kept === 1 ? "stays" : "stay"} (the first one, and those of steps)`,
  );
}

async function projectsOf(opened: Opened, options: PruneCommandOptions): Promise<Project[]> {
  if (options.project !== undefined) return [await projectOf(opened, options)];
  const found = await Promise.all((await opened.continuity.projects()).map((name) => opened.continuity.find(name)));
  return found.filter((project) => project !== undefined);
}

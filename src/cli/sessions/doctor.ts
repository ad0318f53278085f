import { statSync } from "node:fs";
import { dirname, resolve } from "node:path";
import { InvalidArgumentError } from "commander";
import { columns } from "../../base/terminal.ts";
import {
  makeCheckup,
  nextStep,
  pageOf,
  patchSentences,
  protectionBy,
  reportLines,
  type Checkup,
  type CheckedSession,
} from "../../doctor/index.ts";
import { isSound, needsRepair, saved, ScanMemory } from "../../health/index.ts";
import { shellWord } from "../../base/commands/shell-word.ts";
import { putFile } from "../../store/archives/durable-file.ts";
import { storeError } from "../../store/errors.ts";
import { dataOf, withCatalog } from "./catalog.ts";
import { openClawsAtHand } from "./openclaw-at-hand.ts";
import { EXIT, runAsync, type CommonOptions, type Outcome } from "../run.ts";
import { progress } from "./scan.ts";

interface DoctorOptions extends CommonOptions {
  readonly agent?: string;
  readonly html?: string;
  readonly content?: boolean;
}

/** Columns where the terminal's width is unknown. */
const COLUMNS = 100;

/** Checks the name of the page's file, so that a typing error cannot replace a transcript. */
export function pageFile(name: string): string {
  if (/\.html?$/i.test(name)) return name;
  throw new InvalidArgumentError("The page's name has to end in .html.");
}

/** `openclaw-integrity sessions doctor` */
export async function doctorCommand(which: string | undefined, options: DoctorOptions): Promise<void> {
  await runAsync(options, () => {
    if (options.html !== undefined) assertFolder(resolve(options.html));
    return withCatalog(async (catalog, stateDirectory) => {
      const memory = new ScanMemory(stateDirectory);
      const { agent, html, content = false } = options;
      const { openclaws, whyNone } = openClawsAtHand(options);
      const made = await makeCheckup(catalog, {
        stateDirectory,
        memory,
        isDrawn: html !== undefined,
        openclaws,
        withWords: content,
        onProgress: progress(options),
        ...(which !== undefined && { only: which }),
        ...(agent !== undefined && { agentId: agent }),
      });
      const checkup = { ...made, ...(whyNone !== undefined && { whyNone }) };
      const page = html === undefined ? undefined : resolve(html);
      // Mode 0600: the page contains ids, names and, if requested, text of conversations. The user chose the folder.
      if (page !== undefined) putFile(page, pageOf(checkup, { withWords: content }), 0o600, { shared: "allow" });
      return outcomeOf(checkup, page, saved(memory));
    }, options.agent);
  });
}

/** Throws unless the folder of the page is there: it is not made, because a typing error would make it. */
function assertFolder(page: string): void {
  const folder = dirname(page);
  const found = statSync(folder, { throwIfNoEntry: false });
  if (found?.isDirectory()) return;
  throw storeError("not-writable", {
    expected: `a folder ${folder} for the page`,
    found: found === undefined ? "no such folder" : "a file",
    todo: `Make it (mkdir -p ${shellWord(folder)}), or name another place with --html.`,
  });
}

function outcomeOf(checkup: Checkup, page: string | undefined, warnings: readonly string[]): Outcome {
  const { sessions, archives, incidents, journal, leftBehind, problems, stateDirectory } = checkup;
  const faulty = sessions.filter(needsRepair).length;
  const unread = sessions.filter((session) => session.unread !== undefined).length;
  return {
    data: {
      stateDirectory,
      sessions: sessions.map(asData),
      total: sessions.length,
      corrupt: faulty,
      unread,
      archives,
      incidents: incidents.list,
      olderIncidents: incidents.older,
      damagedIncidents: incidents.damaged,
      leftBehind,
      ...(journal.sentence !== undefined && { journal: journal.sentence }),
      patch: patchOf(checkup),
      next: nextStep(checkup),
      ...(checkup.openclaws && { openclaws: checkup.openclaws }),
      ...(page !== undefined && { page }),
    },
    lines: [...reportLines(checkup, columns() ?? COLUMNS), ...(page === undefined ? [] : [`the page is in ${page}`])],
    warnings: [...problems, ...warnings],
    // Sessions that OpenClaw has put away are left alone on purpose.
    exit:
      faulty + problems.length > 0 ||
      sessions.some(({ session, unread: why }) => why !== undefined && session.isPutAway !== true)
        ? EXIT.no
        : EXIT.ok,
  };
}

/** Whether OpenClaw is patched; `isPatched` is missing where that is not known. */
function patchOf(checkup: Checkup): Readonly<Record<string, unknown>> {
  const protection = protectionBy(checkup.openclaws);
  return {
    ...(protection !== "unknown" && { isPatched: protection !== "none" }),
    isOutdated: protection === "other",
    sentences: patchSentences(checkup),
  };
}

function asData({
  session,
  examination,
  unread,
  checkpoints,
  incidents,
  archives,
  remedy,
  words,
}: CheckedSession): Readonly<Record<string, unknown>> {
  return {
    ...dataOf(session),
    ...(examination && { state: isSound(examination) ? "sound" : "faulty", ...examination }),
    ...(unread !== undefined && { unread }),
    ...(checkpoints && { checkpoints: checkpoints.length }),
    incidents: incidents.length,
    archives: archives.length,
    ...(remedy && { remedy }),
    ...(words && { words }),
  };
}

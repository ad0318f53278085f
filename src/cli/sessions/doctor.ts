import { resolve } from "node:path";
import { columns } from "../../base/terminal.ts";
import {
  makeCheckup,
  nextStep,
  renderCheckupPage,
  patchSentences,
  protectionBy,
  reportLines,
  type Checkup,
  type CheckedSession,
} from "../../doctor/index.ts";
import { isSound, needsRepair, saved, ScanMemory } from "../../health/index.ts";
import { toData, withCatalog } from "./catalog.ts";
import { gatewaysWith, openClawsAtHand } from "./openclaw-at-hand.ts";
import { EXIT, runAsync, type CommonOptions, type Outcome } from "../run.ts";
import { assertPageFolder, putPage } from "../page-file.ts";
import { progress } from "./scan.ts";
import { workNeeds } from "./work-needs.ts";

interface DoctorOptions extends CommonOptions {
  readonly agent?: string;
  readonly html?: string;
  readonly content?: boolean;
  readonly all?: boolean;
}

/** Columns where the terminal's width is unknown. */
const COLUMNS = 100;

/** `openclaw-integrity sessions doctor` */
export async function doctorCommand(which: string | undefined, options: DoctorOptions): Promise<void> {
  await runAsync(options, () => {
    if (options.html !== undefined) assertPageFolder(resolve(options.html));
    return withCatalog(async (catalog, stateDirectory) => {
      const memory = new ScanMemory(stateDirectory);
      const { agent, html, content = false, all = false } = options;
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
      const gateways = gatewaysWith(openclaws);
      const isWhole = which === undefined && agent === undefined;
      const checkup = {
        ...made,
        ...(whyNone !== undefined && { whyNone }),
        ...(gateways && { gateways }),
        ...(isWhole && { work: await workNeeds(stateDirectory) }),
      };
      const page = html === undefined ? undefined : resolve(html);
      if (page !== undefined) putPage(page, renderCheckupPage(checkup, { withWords: content }));
      const lines = reportLines(checkup, columns() ?? COLUMNS, all);
      return toOutcome(
        checkup,
        [...lines, ...(page === undefined ? [] : [`the page is in ${page}`])],
        page,
        saved(memory),
      );
    }, options.agent);
  });
}

function toOutcome(
  checkup: Checkup,
  lines: Outcome["lines"],
  page: string | undefined,
  warnings: readonly string[],
): Outcome {
  const { sessions, problems, work = [] } = checkup;
  return {
    data: { ...checkupData(checkup), ...(page !== undefined && { page }) },
    lines,
    warnings: [...problems, ...warnings],
    // Sessions that OpenClaw has put away are left alone on purpose.
    exit:
      problems.length > 0 ||
      sessions.some(needsRepair) ||
      work.some(({ needs }) => needs === "unread") ||
      sessions.some(({ session, unread: why }) => why !== undefined && session.isPutAway !== true)
        ? EXIT.no
        : EXIT.ok,
  };
}

/** Returns a checkup as JSON. */
export function checkupData(checkup: Checkup): Readonly<Record<string, unknown>> {
  const { sessions, archives, incidents, journal, leftBehind, stateDirectory, work = [] } = checkup;
  return {
    stateDirectory,
    sessions: sessions.map(asData),
    total: sessions.length,
    corrupt: sessions.filter(needsRepair).length,
    unread: sessions.filter(({ unread }) => unread !== undefined).length,
    archives,
    incidents: incidents.list,
    olderIncidents: incidents.older,
    damagedIncidents: incidents.damaged,
    leftBehind,
    work,
    routes: checkup.routes,
    ...(journal.sentence !== undefined && { journal: journal.sentence }),
    patch: toPatchData(checkup),
    next: nextStep(checkup),
    ...(checkup.openclaws && { openclaws: checkup.openclaws }),
    ...(checkup.gateways && { gateways: checkup.gateways }),
  };
}

/** Whether OpenClaw is patched; `isPatched` is missing where that is not known. */
function toPatchData(checkup: Checkup): Readonly<Record<string, unknown>> {
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
    ...toData(session),
    ...(examination && { state: isSound(examination) ? "sound" : "faulty", ...examination }),
    ...(unread !== undefined && { unread }),
    ...(checkpoints && { checkpoints: checkpoints.length }),
    incidents: incidents.length,
    archives: archives.length,
    ...(remedy && { remedy }),
    ...(words && { words }),
  };
}

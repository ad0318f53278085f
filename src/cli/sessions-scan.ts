import { faultsOf, isSound, scan, ScanMemory, stateOf, type ScannedSession, type ScanReport } from "../health/index.ts";
import { openCatalog, stateDirectory, type SessionSummary } from "../store/index.ts";
import { timeOf } from "./checkpoints-state.ts";
import { EXIT, runAsync, type OutputOptions, type Outcome } from "./run.ts";

interface ScanCommandOptions extends OutputOptions {
  readonly agent?: string;
  readonly all?: boolean;
}

/** How often the progress is shown, in milliseconds. */
const PROGRESS_MS = 500;

/** `openclaw-integrity sessions scan` */
export async function scanCommand(options: ScanCommandOptions): Promise<void> {
  await runAsync(options, async () => {
    const directory = stateDirectory();
    const catalog = openCatalog(directory);
    try {
      const memory = new ScanMemory(directory);
      const onProgress = progress(options);
      const report = await scan(catalog, { ...(options.agent !== undefined && { agentId: options.agent }), ...(options.all !== true && { memory }), onProgress });
      const warnings = saved(memory, options.all === true);
      return { ...outcomeOf(report, directory), warnings: [...report.problems, ...warnings] };
    } finally {
      catalog.close();
    }
  });
}

/** A line that is written over, where somebody looks. */
function progress({ json = false, quiet = false }: OutputOptions): (done: number, all: number) => void {
  if (json || quiet || !process.stderr.isTTY) return () => undefined;
  let shown = performance.now();
  return (done, all) => {
    if (performance.now() - shown < PROGRESS_MS) return;
    shown = performance.now();
    process.stderr.write(`\r${done} of ${all} sessions\r`);
  };
}

/** A scan tells what it found also where nothing can be written. */
function saved(memory: ScanMemory, isAll: boolean): string[] {
  if (isAll) return [];
  try {
    memory.save();
    return [];
  } catch (error) {
    return [`what was found could not be kept, the next scan reads everything again: ${error instanceof Error ? error.message : String(error)}`];
  }
}

function outcomeOf({ sessions, read, corrupt, milliseconds }: ScanReport, directory: string): Outcome {
  const unread = sessions.filter(({ examination }) => examination === undefined);
  const faulty = sessions.filter(({ examination }) => examination && !isSound(examination));
  const counted = `${sessions.length} ${sessions.length === 1 ? "session" : "sessions"} in ${directory}, ${read} read, in ${Math.round(milliseconds)} ms`;
  return {
    data: { sessions: sessions.map(asData), total: sessions.length, read, corrupt, unread: unread.length },
    lines: [
      ...faulty.map(({ session, examination }) => `${nameOf(session)}: ${stateOf(examination)}: ${faultsOf(examination!).join("; ")}`),
      ...unread.map(({ session, unread: why }) => `${nameOf(session)}: not read: ${why}`),
      `${counted}: ${corrupt === 0 ? "all that were read are sound" : `${corrupt} with faults`}`,
    ],
    exit: corrupt > 0 ? EXIT.no : EXIT.ok,
  };
}

/** `openclaw-integrity sessions list` */
export async function listSessionsCommand(options: ScanCommandOptions): Promise<void> {
  await runAsync(options, async () => {
    const directory = stateDirectory();
    const catalog = openCatalog(directory);
    try {
      const memory = new ScanMemory(directory);
      const { sessions: all, problems } = catalog.list(options.agent);
      const sessions = all.map((session): ScannedSession => {
        const known = memory.of(session);
        return { session, isNew: false, ...(known && { examination: known.examination }), ...(session.unread !== undefined && { unread: session.unread }) };
      });
      return {
        data: { sessions: sessions.map(asData), total: sessions.length },
        warnings: problems,
        lines: sessions.length === 0 ? [`no sessions in ${directory}`] : sessions.map(({ session, examination }) => `${timeOf(session.updatedAt)}  ${nameOf(session)}  ${session.unread === undefined ? stateOf(examination) : `not read: ${session.unread}`}`),
      };
    } finally {
      catalog.close();
    }
  });
}

/** Its id, and the conversation that goes on in it. */
function nameOf({ sessionId, sessionKey, isCurrent }: SessionSummary): string {
  if (sessionKey === undefined) return `${sessionId} (no conversation goes on in it)`;
  return `${sessionId} (${isCurrent ? "" : "earlier of "}${sessionKey})`;
}

function asData({ session: { watermark: _watermark, ...session }, examination, unread, isNew }: ScannedSession): Readonly<Record<string, unknown>> {
  return { ...session, isNew, ...(examination && { state: isSound(examination) ? "sound" : "faulty", ...examination }), ...(unread !== undefined && { unread }) };
}

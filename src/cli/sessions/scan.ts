import { isTerminal, sentenceLines, showProgress, toned } from "../../base/terminal.ts";
import {
  asKnown,
  describeFaults,
  isSound,
  needsRepair,
  saved,
  scan,
  ScanMemory,
  describeState,
  type ScannedSession,
  type ScanReport,
} from "../../health/index.ts";
import { isEarlier, refusedDatabases, type SessionSummary } from "../../store/index.ts";
import { conversationOfSession, toData, withCatalog } from "./catalog.ts";
import { formatTime } from "../../base/time.ts";
import { EXIT, runAsync, type OutputOptions, type Outcome } from "../run.ts";

interface ScanCommandOptions extends OutputOptions {
  readonly agent?: string;
  readonly all?: boolean;
}

/** Interval of the progress line, in milliseconds. */
const PROGRESS_MS = 500;

/** `openclaw-integrity sessions scan` */
export async function scanCommand(options: ScanCommandOptions): Promise<void> {
  await runAsync(options, () =>
    withCatalog(async (catalog, directory) => {
      const memory = new ScanMemory(directory, { readsAll: options.all === true });
      const onProgress = progress(options);
      const refused = refusedDatabases(directory, options.agent);
      const scanned = await scan(catalog, {
        ...(options.agent !== undefined && { agentId: options.agent }),
        memory,
        onProgress,
      });
      const report = { ...scanned, problems: [...scanned.problems, ...(await refused)] };
      return { ...toOutcome(report, directory), warnings: [...report.problems, ...saved(memory)] };
    }, options.agent),
  );
}

/** Returns a function that shows progress on a terminal, in a line that is overwritten. */
export function progress({ json = false, quiet = false }: OutputOptions): (done: number, all: number) => void {
  if (json || quiet || !isTerminal("stderr")) return () => undefined;
  let shown = performance.now();
  return (done, all) => {
    if (performance.now() - shown < PROGRESS_MS) return;
    shown = performance.now();
    showProgress(`${done} of ${all} sessions`);
  };
}

function toOutcome({ sessions, problems, read, corrupt, milliseconds }: ScanReport, directory: string): Outcome {
  const unread = sessions.filter(({ examination }) => examination === undefined);
  // Sessions that OpenClaw has put away are left alone on purpose.
  const failed = unread.filter(({ session }) => session.isPutAway !== true).length;
  const faulty = sessions.filter(({ examination }) => examination && !isSound(examination));
  const counted =
    `${sessions.length} ${sessions.length === 1 ? "session" : "sessions"} in ${directory}, ${read} read, ` +
    `in ${Math.round(milliseconds)} ms`;
  const isWell = corrupt + failed + problems.length === 0;
  const found = { all: sessions.length, corrupt, failed, unread: unread.length, problems: problems.length };
  return {
    data: { sessions: sessions.map(asData), total: sessions.length, read, corrupt, unread: unread.length },
    lines: [
      ...faulty.flatMap(({ session, examination }) =>
        toned(
          sentenceLines(
            `${sessionName(session)}: ${describeState(examination)}: ${describeFaults(examination!).join("; ")}` +
              (isEarlier(session) ? "; needs no repair, because the conversation has left this session" : ""),
          ),
          isEarlier(session) ? undefined : "todo",
        ),
      ),
      ...unread.flatMap(({ session, unread: why }) =>
        toned(
          sentenceLines(`${sessionName(session)}: not read: ${why}`),
          session.isPutAway === true ? undefined : "bad",
        ),
      ),
      ...toned(sentenceLines(`${counted}: ${foundWords(found)}`), isWell ? "good" : "todo"),
    ],
    exit: isWell ? EXIT.ok : EXIT.no,
  };
}

/** Summarises a scan; sessions that could not be read are not counted as valid. */
function foundWords({
  all,
  corrupt,
  failed,
  unread,
  problems,
}: {
  readonly all: number;
  readonly corrupt: number;
  readonly failed: number;
  readonly unread: number;
  readonly problems: number;
}): string {
  const found =
    corrupt > 0
      ? `${corrupt} with faults`
      : all === 0
        ? problems > 0
          ? "none could be listed"
          : "there is none"
        : failed === 0
          ? "all that were read are valid"
          : all > unread
            ? "no faults in the others"
            : "nothing is known of any";
  return failed === 0 ? found : `${failed} could not be read, ${found}`;
}

/** `openclaw-integrity sessions list` */
export async function listSessionsCommand(options: ScanCommandOptions): Promise<void> {
  await runAsync(options, () =>
    withCatalog((catalog, directory) => {
      const memory = new ScanMemory(directory);
      const { sessions: all, problems } = catalog.list(options.agent);
      const sessions = all.map((session) => asKnown(session, memory));
      return {
        data: { sessions: sessions.map(asData), total: sessions.length },
        warnings: problems,
        lines:
          sessions.length === 0
            ? [problems.length > 0 ? `no session could be listed in ${directory}` : `no sessions in ${directory}`]
            : sessions.map(
                ({ session, examination, unread }) =>
                  `${formatTime(session.updatedAt)}  ${sessionName(session)} ` +
                  ` ${unread === undefined ? describeState(examination) : `not read: ${unread}`}`,
              ),
        exit: problems.length > 0 || sessions.some(isBad) ? EXIT.no : EXIT.ok,
      };
    }, options.agent),
  );
}

/** Whether a session has faults that need a repair, or cannot be read though OpenClaw has not put it away. */
function isBad(scanned: ScannedSession): boolean {
  return needsRepair(scanned) || (scanned.unread !== undefined && scanned.session.isPutAway !== true);
}

/** Returns the id of a session and its conversation. */
function sessionName(session: SessionSummary): string {
  return `${session.sessionId} (${conversationOfSession(session)})`;
}

function asData({ session, examination, unread, isNew }: ScannedSession): Readonly<Record<string, unknown>> {
  return {
    ...toData(session),
    isNew,
    ...(examination && { state: isSound(examination) ? "sound" : "faulty", ...examination }),
    ...(unread !== undefined && { unread }),
  };
}

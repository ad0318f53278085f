import { isObject, type JsonObject } from "../../transcript/json/json.ts";
import { isIncognito } from "../../store/sessions/session-coordinates.ts";
import { stateDirectory } from "../../store/state-directory.ts";
import { markOfEntry, markOfMessage } from "../../timetravel/files/places.ts";
import { isReadingTool } from "../../timetravel/carry/called.ts";
import { WorkspaceError, WorkspaceStore, type Owner } from "../../workspace/index.ts";
import { enabledWorkspace } from "../../workspace/live.ts";
import { agentOfKey } from "../../store/sessions/session-coordinates.ts";
import { logFailure, logLine } from "../base/log.ts";
import type { GuardContext, SessionManager } from "../openclaw/session.ts";

/**
 * How long a call of a tool, or the next model call, waits for a capture. A longer one ends without the turn, and the
 * changes of the batch count as someone else's.
 */
const MAX_WAIT_MS = 30_000;
/** How long the end of an answer waits for the capture of the batch before it. */
const MAX_HOLD_MS = 5_000;
/** How long a workspace is left alone after its files could not be captured. */
const RETRY_AFTER_MS = 10 * 60_000;

/** Workspaces that cannot be captured, and why; each is said once. */
const unfit = new Map<string, { readonly until: number; readonly said: string }>();

/**
 * Captures the files of a workspace around the batches of calls of one run. No method rejects: a failed capture never
 * blocks a turn.
 */
export class RunFiles {
  readonly store: WorkspaceStore;
  readonly owner: Owner;
  /** The mark (timetravel/files/places.ts) of the last entry before the run, or of the last result of its batches. */
  #mark: string;
  /** The id of the open step in the records of the workspace; undefined where its capture failed. */
  #step: Promise<number | undefined> | undefined;
  #ending: Promise<void> | undefined;

  private constructor(store: WorkspaceStore, owner: Owner, mark: string) {
    this.store = store;
    this.owner = owner;
    this.#mark = mark;
  }

  /** The files of a run; undefined where capturing is turned off or the workspace cannot be captured. */
  static begin({ sessionId, sessionKey }: GuardContext, manager: SessionManager): RunFiles | undefined {
    if (sessionId === undefined || sessionKey === undefined || isIncognito(sessionKey)) return undefined;
    const agentId = agentOfKey(sessionKey);
    const workspace = enabledWorkspace(sessionKey, agentId);
    if (workspace === undefined || isLeftAlone(workspace)) return undefined;
    try {
      const owner = { sessionId, sessionKey, agentId };
      return new RunFiles(WorkspaceStore.at(stateDirectory(), workspace), owner, lastMark(manager));
    } catch (error) {
      leaveAlone(workspace, error);
      return undefined;
    }
  }

  /** To be awaited before a call runs: captures the files before the first call of a batch that may change some. */
  async beforeCall(tool: unknown): Promise<void> {
    if (isReadingTool(tool)) return;
    const step = (this.#step ??= this.#begin());
    await inTime(step);
  }

  /**
   * To be called when all results of a batch are there: captures what the batch has changed, while the model is asked.
   * The next batch, a move and the end of the run wait for it.
   */
  async afterBatch(messages: readonly unknown[]): Promise<void> {
    const step = this.#step;
    if (step === undefined) return;
    this.#step = undefined;
    const last = messages.findLast((message) => isObject(message) && message.role === "toolResult");
    const mark = last === undefined ? undefined : markOfMessage(last as JsonObject);
    if (mark !== undefined) this.#mark = mark;
    const ending = this.#end(step, this.#mark).finally(() => {
      if (this.#ending === ending) this.#ending = undefined;
    });
    this.#ending = ending;
    await inTime(ending);
  }

  /**
   * The capture that goes on beside the model's answer; undefined when none does. Whoever reads the answer may write in
   * the files at once, and a change that the capture still sees would count as the agent's.
   */
  capturing(): Promise<void> | undefined {
    return this.#ending && inTime(this.#ending, MAX_HOLD_MS);
  }

  /** To be awaited at the end of the run, also of one that a person stopped. */
  async ended(messages: readonly unknown[]): Promise<void> {
    await this.afterBatch(messages);
    if (this.#ending) await inTime(this.#ending);
  }

  async #begin(): Promise<number | undefined> {
    const since = performance.now();
    try {
      const id = await this.store.use(async ({ records, capture }) => {
        const { tree, leftOut } = await capture();
        if (leftOut.has("too many")) sayOnce(this.store.workspace, TOO_MANY);
        return records.transaction(() => {
          // Steps of a run that was killed, or whose last capture failed.
          for (const open of records.open(this.owner)) records.end(open.id, tree, this.#mark);
          return records.begin(this.owner, tree);
        });
      });
      if (performance.now() - since < MAX_WAIT_MS) return id;
      // The call has not waited: the files captured may be those that it has changed already.
      await this.store.withRecords((records) => records.drop(id));
      logLine(`files: a capture took longer than ${MAX_WAIT_MS / 1000} s; the turn went on without it`);
      return undefined;
    } catch (error) {
      leaveAlone(this.store.workspace, error);
      return undefined;
    }
  }

  async #end(step: Promise<number | undefined>, mark: string): Promise<void> {
    try {
      const id = await step;
      if (id === undefined) return;
      await this.store.use(async ({ records, capture }) => records.end(id, (await capture()).tree, mark));
    } catch (error) {
      leaveAlone(this.store.workspace, error);
    }
  }
}

/** Waits for a capture, but not longer than a turn may. */
async function inTime(work: Promise<unknown>, most = MAX_WAIT_MS): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<void>((resolve) => {
    timer = setTimeout(resolve, most);
  });
  await Promise.race([work, late]);
  clearTimeout(timer);
}

function isLeftAlone(workspace: string): boolean {
  const problem = unfit.get(workspace);
  return problem !== undefined && Date.now() < problem.until;
}

const TOO_MANY =
  "more files than are captured: new ones do not come back in a move, those that were captured before do; " +
  "name what need not come back in a .gitignore";

/** Says once what is wrong with a workspace that is captured all the same. */
function sayOnce(workspace: string, said: string): void {
  if (unfit.get(workspace)?.said !== said) logLine(`files: ${workspace}: ${said}`);
  unfit.set(workspace, { until: 0, said });
}

/** Says once why a workspace is not captured. */
function leaveAlone(workspace: string, error: unknown): void {
  const said = error instanceof WorkspaceError ? error.message : error instanceof Error ? error.name : "an error";
  const earlier = unfit.get(workspace);
  const isLasting = error instanceof WorkspaceError && ["unfit", "no-git", "timeout"].includes(error.code);
  unfit.set(workspace, { until: isLasting ? Date.now() + RETRY_AFTER_MS : 0, said });
  if (earlier?.said === said) return;
  if (error instanceof WorkspaceError) logLine(`files: ${said}`);
  else logFailure("files", error, "moves go on without files");
}

/** The mark of the last answer or result on the path. */
function lastMark(manager: SessionManager): string {
  const entry = manager
    .getBranch?.()
    .findLast(
      (one) =>
        isObject(one) &&
        isObject(one.message) &&
        (one.message.role === "assistant" || one.message.role === "toolResult"),
    );
  return isObject(entry) ? markOfEntry(entry) : "entry:none";
}

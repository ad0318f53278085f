import { continuityError } from "../base/errors.ts";

/** What this package uses of a workflow's status. */
export interface DbosStatus {
  readonly workflowID: string;
  readonly status: string;
  readonly workflowName: string;
  readonly input?: unknown[];
  readonly output?: unknown;
  readonly error?: unknown;
  readonly executorId?: string;
}

/** What this package uses of a started workflow. */
export interface DbosHandle<Return> {
  getResult(): Promise<Return>;
}

/** How a workflow is started: on a queue, with a time limit, later. As in `DBOS.startWorkflow`. */
export interface DbosStartOptions {
  readonly queueName?: string;
  readonly timeoutMS?: number | null;
  readonly enqueueOptions?: {
    readonly deduplicationID?: string;
    readonly priority?: number;
    readonly queuePartitionKey?: string;
    readonly delaySeconds?: number;
  };
}

/** The class `DBOS` of `@dbos-inc/dbos-sdk` 5, as far as this package uses it. */
export interface DbosSdk {
  readonly workflowID: string | undefined;
  readonly executorID: string;
  isInWorkflow(): boolean;
  registerWorkflow<Args extends unknown[], Return>(
    work: (this: unknown, ...args: Args) => Promise<Return>,
    config: { name: string },
  ): (this: unknown, ...args: Args) => Promise<Return>;
  startWorkflow<Args extends unknown[], Return>(
    target: (...args: Args) => Promise<Return>,
    params: DbosStartOptions & { workflowID: string },
  ): (...args: Args) => Promise<DbosHandle<Return>>;
  runStep<Return>(work: () => Promise<Return>, config: { name: string }): Promise<Return>;
  getWorkflowStatus(workflowID: string): Promise<DbosStatus | null>;
  listWorkflows(input: { status: "PENDING"; workflowName: string[] }): Promise<DbosStatus[]>;
  resumeWorkflow(workflowID: string): Promise<unknown>;
}

const NAME = "@dbos-inc/dbos-sdk";
const USED = [
  "registerWorkflow",
  "startWorkflow",
  "runStep",
  "getWorkflowStatus",
  "listWorkflows",
  "resumeWorkflow",
  "isInWorkflow",
] as const satisfies (keyof DbosSdk)[];

/** Returns the class `DBOS` of the installed package. Throws `no-engine` when it is missing, or another version. */
export async function loadDbos(load: () => Promise<unknown> = () => import(NAME)): Promise<DbosSdk> {
  let found: unknown;
  try {
    found = ((await load()) as { DBOS?: unknown }).DBOS;
  } catch (error) {
    if ((error as { code?: unknown }).code !== "ERR_MODULE_NOT_FOUND") throw error;
    throw noEngine(`no package ${NAME}`);
  }
  const lacking = USED.find((name) => typeof (found as DbosSdk | undefined)?.[name] !== "function");
  if (lacking !== undefined) throw noEngine(`a ${NAME} without DBOS.${lacking}`);
  return found as DbosSdk;
}

function noEngine(found: string): Error {
  return continuityError("no-engine", {
    expected: `the package ${NAME}, version 5, which executes these steps`,
    found,
    todo: `Install it beside this package: npm i ${NAME}@5. Nothing was written.`,
  });
}

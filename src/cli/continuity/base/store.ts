/** Opens the store and the project for the commands on recorded work. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { userInfo } from "node:os";
import { basename, dirname, join, resolve } from "node:path";
import { nameInline } from "../../../base/quoted.ts";
import { complain } from "../../../base/terminal.ts";
import { joinSome } from "../../../base/join-some.ts";
import { setStoreForPrintedCommands } from "../../../base/commands/own-command.ts";
import { continuityFile, continuitySchema, isOpenClawsName } from "../../../continuity-tools/index.ts";
import { type StoreSelection, storeWords } from "../../../continuity-tools/store-words.ts";
import {
  type Author,
  type ClaimOptions,
  authorBy,
  Continuity,
  ContinuityError,
  type ContinuityStore,
  type MetricSink,
  openPostgresStore,
  openSqliteStore,
  type Project,
  s3Storage,
  type S3Storage,
} from "../../../continuity/index.ts";
import { continuityError } from "../../../continuity/base/errors.ts";
import { assertState, stateDirectory } from "../../../store/index.ts";
import type { OutputOptions } from "../../run.ts";

/** Selects the store and the project. */
export interface StoreOptions extends StoreSelection {}

export interface ReadOptions extends StoreOptions, OutputOptions {}

/** An open store. */
export interface Opened {
  readonly continuity: Continuity;
  readonly store: ContinuityStore;
  readonly objects: S3Storage | undefined;
  /** Name of the store in messages: a file, or a schema. */
  readonly place: string;
}

const MAX_NAMED = 10;
const S3 = "OPENCLAW_CONTINUITY_S3_";

/** Location of a store: a file, or a database schema of a server. */
export type Place =
  | { readonly file: string }
  | { readonly postgres: string; readonly schema: string; readonly anchor?: string };

/** Returns the place that the options select. Throws a ContinuityError. */
export function selectPlace({ store = "openclaw", file, postgres, schema, anchor }: StoreOptions): Place {
  if (postgres !== undefined)
    return { postgres, schema: schema ?? continuitySchema(store), ...(anchor !== undefined && { anchor }) };
  if (anchor !== undefined) {
    throw continuityError("bad-input", {
      expected: "--anchor together with --postgres",
      found: `--anchor ${anchor} alone`,
      todo: "Leave it out: a SQLite store has its anchor beside it. Nothing was created.",
    });
  }
  if (schema !== undefined) {
    throw continuityError("bad-input", {
      expected: "--schema together with --postgres",
      found: `--schema ${schema} alone`,
      todo: "Name the server, or leave the schema out. Nothing was created.",
    });
  }
  return { file: file ?? continuityFile(stateDirectory(), store) };
}

/** Returns whether two places are the same store. */
export function isSamePlace(one: Place, other: Place): boolean {
  if ("file" in one) return "file" in other && realFile(one.file) === realFile(other.file);
  return "schema" in other && one.schema === other.schema;
}

/** Identifies a file independently of links; a missing file by the path where it would be created. */
function realFile(file: string): string {
  const path = resolve(file);
  try {
    const { dev, ino } = statSync(path);
    return `${dev}/${ino}`;
  } catch {
    const folder = dirname(path);
    return existsSync(folder) ? join(realpathSync(folder), basename(path)) : path;
  }
}

/**
 * Opens a store, with the object storage that the environment names. Throws a ContinuityError. With `mustExist` nothing
 * is created, and a missing store throws `not-found`; with `readOnly` nothing is written either.
 */
export async function openContinuity(
  at: Place,
  {
    mustExist,
    readOnly,
    author,
    metrics,
    claims,
  }: {
    readonly mustExist: boolean;
    readonly readOnly?: boolean | undefined;
    readonly author: Author;
    readonly metrics?: MetricSink | undefined;
    readonly claims?: ClaimOptions;
  },
): Promise<Opened> {
  const objects = objectStorage(process.env);
  const store =
    "file" in at
      ? openSqliteStore({ file: at.file, mustExist, readOnly, warn })
      : await openPostgresStore({
          connectionString: at.postgres,
          schema: at.schema,
          mustExist,
          readOnly,
          warn,
          anchor: at.anchor === undefined ? undefined : { file: resolve(at.anchor) },
        });
  return {
    store,
    objects,
    continuity: new Continuity({
      store,
      author,
      ...(objects && { objects }),
      ...(metrics && { metrics }),
      ...(claims && { claims }),
    }),
    place: "file" in at ? at.file : `schema ${at.schema}`,
  };
}

/**
 * Opens the store for `work` and closes it afterwards; unless `mustExist` is false, a store that is not there is not
 * created. Throws a ContinuityError, and `state-missing` or `store-unreadable` for the state directory of a store that
 * no option names.
 */
export async function withContinuity<Value>(
  options: StoreOptions & { readonly author?: Author },
  work: (opened: Opened) => Promise<Value>,
  { mustExist = true, readOnly }: { readonly mustExist?: boolean; readonly readOnly?: boolean } = {},
): Promise<Value> {
  const { file, postgres, author = authorBy("cli") } = options;
  setStoreForPrintedCommands(storeWords(options));
  // What is not there, or is no folder, is no place where nothing was recorded.
  if (file === undefined && postgres === undefined) assertState(stateDirectory());
  try {
    const opened = await openContinuity(selectPlace(options), { mustExist, readOnly, author });
    try {
      return await work(opened);
    } finally {
      await opened.continuity.close();
    }
  } catch (error) {
    if (!(error instanceof ContinuityError) || error.code !== "not-found") throw error;
    throw new ContinuityError(error.code, error.message + otherStore(options), { cause: error });
  }
}

/** Returns a hint that the work may be in the other store. */
export function otherStore({ store, file, postgres }: StoreOptions): string {
  const isDefault = store === undefined && file === undefined && postgres === undefined;
  return isDefault && existsSync(continuityFile(stateDirectory(), "mcp"))
    ? " What agents have recorded over MCP is in another store: --store mcp."
    : "";
}

/**
 * Returns the project that the options name, or else the only one. Throws `not-found` or `bad-input` with the names of
 * the existing projects.
 */
export async function chooseProject(
  { continuity, place }: Opened,
  { project: project_id }: StoreOptions,
): Promise<Project> {
  const all = await continuity.projects();
  if (project_id === undefined && all.length > 1) {
    throw continuityError("bad-input", {
      expected: "--project, because there are several projects",
      found: joinSome(all, MAX_NAMED),
      todo: "Choose one. Nothing was changed.",
    });
  }
  const name = project_id ?? all[0];
  const project = name === undefined ? undefined : await continuity.find(name);
  if (project) return project;
  throw continuityError("not-found", {
    expected: project_id === undefined ? `a project in ${place}` : `project ${project_id} in ${place}`,
    found: all.length === 0 ? "none" : joinSome(all, MAX_NAMED),
    todo: "A project exists once work is recorded for it. Nothing was changed.",
  });
}

/**
 * Returns the name of the project that is to be created if it is missing. Throws `bad-input` without a name, and for
 * the name of an OpenClaw conversation in the MCP server's own store. Call it before the store is opened, which creates
 * it.
 */
export function nameToCreate({ project: name, store }: StoreOptions): string {
  if (name === undefined)
    throw continuityError("bad-input", {
      expected: "--project together with --new",
      found: "--new alone",
      todo: "Name the project. Nothing was created.",
    });
  if (store === "mcp" && isOpenClawsName(name))
    throw continuityError("bad-input", {
      expected: "a project of the MCP server's own store",
      found: `${nameInline(name)}, the name of an OpenClaw conversation`,
      todo: "Choose another name, or leave --store out. Nothing was created.",
    });
  return name;
}

/** Returns the project, created if it is missing, with what has to be known of a new one. Throws a ContinuityError. */
export async function createdProject(
  { continuity }: Opened,
  name: string,
  options: StoreOptions,
): Promise<{ readonly project: Project; readonly warnings: readonly string[] }> {
  const { postgres } = options;
  const isThere = (await continuity.find(name)) !== undefined;
  const isOpenClaws = isSamePlace(selectPlace(options), selectPlace({ ...(postgres !== undefined && { postgres }) }));
  return {
    project: await continuity.project(name),
    warnings:
      isThere || !isOpenClaws || isOpenClawsName(name)
        ? []
        : [
            `no conversation of OpenClaw has the project ${nameInline(name)}: OpenClaw's agents do not see it, ` +
              "because the names of their projects begin with agent:.",
          ],
  };
}

/** Returns the author of what is written at the command line: `--by`, or else the user. */
export function commandAuthor({ by }: { readonly by?: string }): Author {
  return authorBy("cli", by ?? userName());
}

function userName(): string | undefined {
  try {
    return userInfo().username;
  } catch {
    // In a container the user may have a number and no name.
    return undefined;
  }
}

/** Prints a warning to standard error; standard output carries the result. */
function warn(warning: string): void {
  complain(`openclaw-integrity: warning: ${warning}`);
}

/**
 * Returns the object storage that the environment configures; undefined where it configures none. Throws `bad-input`
 * for an incomplete configuration.
 */
export function objectStorage(environment: NodeJS.ProcessEnv): S3Storage | undefined {
  const [endpoint, accessKeyId, secretAccessKey, region] = [
    "ENDPOINT",
    "ACCESS_KEY_ID",
    "SECRET_ACCESS_KEY",
    "REGION",
  ].map((name) => environment[S3 + name] || undefined);
  if (endpoint === undefined && accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (endpoint === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = Object.entries({
      ENDPOINT: endpoint,
      ACCESS_KEY_ID: accessKeyId,
      SECRET_ACCESS_KEY: secretAccessKey,
    }).filter(([, value]) => value === undefined);
    throw continuityError("bad-input", {
      expected: `${S3}ENDPOINT, ${S3}ACCESS_KEY_ID and ${S3}SECRET_ACCESS_KEY together`,
      found: `no ${missing.map(([name]) => S3 + name).join(", no ")}`,
      todo: "Set all of them or none.",
    });
  }
  return s3Storage({ endpoint, accessKeyId, secretAccessKey, warn, ...(region === undefined ? {} : { region }) });
}

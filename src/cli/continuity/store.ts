/** The store that the commands on recorded work look into, and the project they are about. */
import { existsSync, realpathSync, statSync } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { complain } from "../../base/terminal.ts";
import { someOf } from "../../base/some-of.ts";
import { continuityFile, continuitySchema, type StoreName } from "../../continuity-tools/index.ts";
import {
  type Author,
  authorBy,
  Continuity,
  ContinuityError,
  type ContinuityStore,
  openPostgresStore,
  openSqliteStore,
  type Project,
  s3Storage,
  type S3Storage,
} from "../../continuity/index.ts";
import { continuityError } from "../../continuity/base/errors.ts";
import { stateDirectory } from "../../store/index.ts";
import type { OutputOptions } from "../run.ts";

/** Which store and project. */
export interface StoreOptions {
  readonly store?: StoreName;
  readonly file?: string;
  readonly postgres?: string;
  readonly schema?: string;
  readonly project?: string;
}

export interface ReadOptions extends StoreOptions, OutputOptions {}

/** An open store. */
export interface Opened {
  readonly continuity: Continuity;
  readonly store: ContinuityStore;
  readonly objects: S3Storage | undefined;
  /** For a message: a file, or a schema. */
  readonly place: string;
}

const MAX_NAMED = 10;
const S3 = "OPENCLAW_CONTINUITY_S3_";

/** Where a store is: a file, or a database schema of a server. */
export type Place = { readonly file: string } | { readonly postgres: string; readonly schema: string };

/** The place that the options name. Throws a ContinuityError. */
export function placeOf({ store = "openclaw", file, postgres, schema }: StoreOptions): Place {
  if (postgres !== undefined) return { postgres, schema: schema ?? continuitySchema(store) };
  if (schema !== undefined) {
    throw continuityError("bad-input", {
      expected: "--schema together with --postgres",
      found: `--schema ${schema} alone`,
      todo: "Name the server, or leave the schema out. Nothing was made.",
    });
  }
  return { file: file ?? continuityFile(stateDirectory(), store) };
}

/** Whether two places are the same store. */
export function isSamePlace(one: Place, other: Place): boolean {
  if ("file" in one) return "file" in other && realFile(one.file) === realFile(other.file);
  return "schema" in other && one.schema === other.schema;
}

/** The file itself, by whatever links it is named; of one that is not there, where it would be made. */
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
 * Opens a store, with the object storage that the environment names. Throws a ContinuityError; with `mustExist` nothing
 * is made, and `not-found` thrown.
 */
export async function openContinuity(
  at: Place,
  { mustExist, author }: { readonly mustExist: boolean; readonly author: Author },
): Promise<Opened> {
  const objects = objectStorage(process.env);
  const store =
    "file" in at
      ? openSqliteStore({ file: at.file, mustExist })
      : await openPostgresStore({ connectionString: at.postgres, schema: at.schema, mustExist, warn });
  return {
    store,
    objects,
    continuity: new Continuity({ store, author, ...(objects && { objects }) }),
    place: "file" in at ? at.file : `schema ${at.schema}`,
  };
}

/** Opens the store for `work`, which only reads, and closes it. */
export async function withContinuity<Value>(
  options: StoreOptions,
  work: (opened: Opened) => Promise<Value>,
): Promise<Value> {
  try {
    const opened = await openContinuity(placeOf(options), { mustExist: true, author: authorBy("cli") });
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

/** Where else what was looked for may be. */
function otherStore({ store, file, postgres }: StoreOptions): string {
  const isDefault = store === undefined && file === undefined && postgres === undefined;
  return isDefault && existsSync(continuityFile(stateDirectory(), "mcp"))
    ? " What agents have recorded over MCP is in another store: --store mcp."
    : "";
}

/** The project of the options, else the only one there is. Throws `not-found` and `bad-input` with those there are. */
export async function projectOf(
  { continuity, place }: Opened,
  { project: project_id }: StoreOptions,
): Promise<Project> {
  const all = await continuity.projects();
  if (project_id === undefined && all.length > 1) {
    throw continuityError("bad-input", {
      expected: "--project, because several are recorded",
      found: someOf(all, MAX_NAMED),
      todo: "Choose one. Nothing was changed.",
    });
  }
  const name = project_id ?? all[0];
  const project = name === undefined ? undefined : await continuity.find(name);
  if (project) return project;
  throw continuityError("not-found", {
    expected: project_id === undefined ? `a project in ${place}` : `project ${project_id} in ${place}`,
    found: all.length === 0 ? "none" : someOf(all, MAX_NAMED),
    todo: "A project is there once work is recorded for it. Nothing was changed.",
  });
}

/** Standard output has what was asked for. */
function warn(warning: string): void {
  complain(`openclaw-integrity: warning: ${warning}`);
}

/** The object storage that the environment names; undefined where it names none. Throws `bad-input` for half of one. */
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

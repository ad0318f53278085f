/** The store that the commands on recorded work look into, and the project they are about. */
import { someOf } from "../base/some-of.ts";
import { continuityFile } from "../continuity-tools/index.ts";
import { Continuity, ContinuityError, type ContinuityStore, openPostgresStore, openSqliteStore, type Project, s3Storage } from "../continuity/index.ts";
import { continuityError } from "../continuity/errors.ts";
import { visible } from "../doctor/printable.ts";
import { stateDirectory } from "../store/index.ts";
import type { OutputOptions } from "./run.ts";

/** Which store and project. */
export interface StoreOptions {
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
  /** For a message: a file, or a schema. */
  readonly place: string;
}

const DEFAULT_SCHEMA = "continuity";
const MOST_NAMED = 10;
const S3 = "OPENCLAW_CONTINUITY_S3_";

/** Opens the store of the options, with the object storage that the environment names. Throws a ContinuityError; with `mustExist` nothing is made, and `not-found` thrown. */
export async function openContinuity({ file, postgres, schema }: StoreOptions, { mustExist }: { readonly mustExist: boolean }): Promise<Opened> {
  if (schema !== undefined && postgres === undefined) {
    throw continuityError("bad-input", { expected: "--schema together with --postgres", found: `--schema ${schema} alone`, todo: "Name the server, or leave the schema out. Nothing was made." });
  }
  const objects = objectStorage(process.env);
  const place = postgres === undefined ? (file ?? continuityFile(stateDirectory())) : `schema ${schema ?? DEFAULT_SCHEMA}`;
  const store = postgres === undefined ? openSqliteStore({ file: place, mustExist }) : await openPostgresStore({ connectionString: postgres, schema: schema ?? DEFAULT_SCHEMA, mustExist });
  return { store, continuity: new Continuity({ store, ...(objects && { objects }) }), place };
}

/** Opens the store for `work`, which only reads, and closes it. What others wrote cannot act on the terminal by an error either. */
export async function withContinuity<Value>(options: StoreOptions, work: (opened: Opened) => Promise<Value>): Promise<Value> {
  try {
    const opened = await openContinuity(options, { mustExist: true });
    try {
      return await work(opened);
    } finally {
      await opened.continuity.close();
    }
  } catch (error) {
    if (!(error instanceof ContinuityError)) throw error;
    throw new ContinuityError(error.code, visible(error.message), { cause: error });
  }
}

/** The project of the options, else the only one there is. Throws `not-found` and `bad-input` with those there are. */
export async function projectOf({ continuity, place }: Opened, { project: project_id }: StoreOptions): Promise<Project> {
  const all = await continuity.projects();
  if (project_id === undefined && all.length > 1) {
    throw continuityError("bad-input", { expected: "--project, because several are recorded", found: someOf(all, MOST_NAMED), todo: "Choose one. Nothing was changed." });
  }
  const name = project_id ?? all[0];
  const project = name === undefined ? undefined : await continuity.find(name);
  if (project) return project;
  throw continuityError("not-found", {
    expected: project_id === undefined ? `a project in ${place}` : `project ${project_id} in ${place}`, found: all.length === 0 ? "none" : someOf(all, MOST_NAMED),
    todo: "A project is there once work is recorded for it. Nothing was changed.",
  });
}

function objectStorage(environment: NodeJS.ProcessEnv): ReturnType<typeof s3Storage> | undefined {
  const [endpoint, accessKeyId, secretAccessKey, region] = ["ENDPOINT", "ACCESS_KEY_ID", "SECRET_ACCESS_KEY", "REGION"].map((name) => environment[S3 + name] || undefined);
  if (endpoint === undefined && accessKeyId === undefined && secretAccessKey === undefined) return undefined;
  if (endpoint === undefined || accessKeyId === undefined || secretAccessKey === undefined) {
    const missing = Object.entries({ ENDPOINT: endpoint, ACCESS_KEY_ID: accessKeyId, SECRET_ACCESS_KEY: secretAccessKey }).filter(([, value]) => value === undefined);
    throw continuityError("bad-input", { expected: `${S3}ENDPOINT, ${S3}ACCESS_KEY_ID and ${S3}SECRET_ACCESS_KEY together`, found: `no ${missing.map(([name]) => S3 + name).join(", no ")}`, todo: "Set all of them or none." });
  }
  return s3Storage({ endpoint, accessKeyId, secretAccessKey, ...(region === undefined ? {} : { region }) });
}

import { execFile, execFileSync } from "node:child_process";
import { chownSync, existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { promisify } from "node:util";

const run = promisify(execFile);

/** A PostgreSQL server of this test's own. */
export interface PrivatePostgres {
  /** `postgres://...` of its superuser; reached over a socket in its own folder. */
  readonly url: string;
  /** `fast` lets transactions roll back; `immediate` is a crash, after which the server recovers from its log. */
  restart(mode: "fast" | "immediate"): Promise<void>;
  /** Brings it down; `start` brings it up again. */
  halt(mode: "fast" | "immediate"): Promise<void>;
  start(): Promise<void>;
  /** Stops the server and all its backends in the middle of what they do (SIGSTOP), until `resume`. */
  hang(): void;
  resume(): void;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

const DEBIAN = "/usr/lib/postgresql";

/** The folder of PostgreSQL's programs, the newest of Debian's or the PATH's; undefined where there is none. */
function postgresPrograms(): string | undefined {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).toSorted((a, b) => Number(b) - Number(a)) : [];
  const folders = [
    ...versions.map((version) => join(DEBIAN, version, "bin")),
    ...(process.env["PATH"] ?? "").split(delimiter),
  ];
  return folders.find((folder) =>
    ["initdb", "pg_ctl", "postgres"].every((program) => existsSync(join(folder, program))),
  );
}

/** Why tests on PostgreSQL are skipped; undefined where they run. */
export function whyNoPostgres(): string | undefined {
  return postgresPrograms() === undefined
    ? `no PostgreSQL is installed (no initdb, pg_ctl and postgres in ${DEBIAN}/*/bin or the PATH)`
    : undefined;
}

/** What differs from a server that lets everybody in by its socket. */
export interface PostgresSettings {
  /** A port of 127.0.0.1, besides the socket. */
  readonly port?: number;
  /** pg_hba.conf: whom it lets in. */
  readonly hba?: string;
  /** More files in the data folder, readable for the server only: a certificate and its key, for instance. */
  readonly files?: Readonly<Record<string, string>>;
  /** More settings, `-c name=value` each. */
  readonly options?: string;
}

/**
 * Starts a PostgreSQL server with a new data folder, a socket in it and no port unless one is given. It syncs as in
 * production. PostgreSQL refuses to run as root: root runs it as the user postgres. Throws with the server's log when
 * it does not come up.
 */
export async function startPostgres({
  port,
  hba,
  files = {},
  options: settings = "",
}: PostgresSettings = {}): Promise<PrivatePostgres> {
  const programs = postgresPrograms();
  if (programs === undefined) throw new Error(String(whyNoPostgres()));
  const folder = mkdtempSync(join(tmpdir(), "occo-pg-"));
  const user = process.getuid?.() === 0 ? userNamed("postgres") : undefined;
  if (user) chownSync(folder, user.uid, user.gid);
  const [data, log] = [join(folder, "data"), join(folder, "log")];
  const start = async (program: string, ...args: string[]): Promise<unknown> =>
    run(join(programs, program), args, { ...user, cwd: folder });
  const options = `-k ${folder} ${port === undefined ? "-c listen_addresses=" : `-c listen_addresses=127.0.0.1 -c port=${port}`} ${settings} -c max_connections=300 -c shared_buffers=32MB`;
  const control = (action: string, ...more: string[]): string[] => [action, "-D", data, "-w", "-t", "60", ...more];
  const isUp = (): boolean => existsSync(join(data, "postmaster.pid"));
  const signal = (name: "SIGSTOP" | "SIGCONT"): void => {
    const postmaster = Number(readFileSync(join(data, "postmaster.pid"), "utf8").split("\n")[0]);
    for (const pid of [postmaster, ...listChildren(postmaster)]) {
      try {
        process.kill(pid, name);
      } catch {
        // A backend that has ended meanwhile.
      }
    }
  };
  // A test run that is given up leaves no server behind.
  const atExit = (): void => {
    if (isUp()) signal("SIGCONT");
    if (isUp())
      execFileSync(join(programs, "pg_ctl"), control("stop", "-m", "immediate"), {
        ...user,
        cwd: folder,
        stdio: "ignore",
      });
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", atExit);
  try {
    // What is lost when the machine goes down here is a test's.
    await start("initdb", "-D", data, "-U", "postgres", "-A", "trust", "-E", "UTF8", "--locale=C.UTF-8", "--no-sync");
    for (const [name, content] of Object.entries({ ...files, ...(hba === undefined ? {} : { "pg_hba.conf": hba }) })) {
      writeFileSync(join(data, name), content, { mode: 0o600 });
      if (user) chownSync(join(data, name), user.uid, user.gid);
    }
    await start("pg_ctl", ...control("start", "-l", log, "-o", options));
  } catch (error) {
    const told = existsSync(log) ? readFileSync(log, "utf8") : "";
    throw new Error(`PostgreSQL did not start: ${String(error)}\n${told}`, { cause: error });
  }
  return {
    url: `postgres://postgres@${encodeURIComponent(folder)}${port === undefined ? "" : `:${port}`}/postgres`,
    async restart(mode) {
      await start("pg_ctl", ...control("restart", "-m", mode, "-l", log, "-o", options));
    },
    async halt(mode) {
      await start("pg_ctl", ...control("stop", "-m", mode));
    },
    async start() {
      await start("pg_ctl", ...control("start", "-l", log, "-o", options));
    },
    hang: () => signal("SIGSTOP"),
    resume: () => signal("SIGCONT"),
    async stop() {
      if (isUp()) signal("SIGCONT");
      if (isUp()) await start("pg_ctl", ...control("stop", "-m", "fast"));
      process.off("exit", atExit);
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

function listChildren(pid: number): number[] {
  const tasks = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8");
  return tasks.split(" ").filter(Boolean).map(Number);
}

/** The ids of a user of this machine. */
export function userNamed(name: string): { readonly uid: number; readonly gid: number } {
  const id = (flag: string): number => Number(execFileSync("id", [flag, name], { encoding: "utf8" }));
  return { uid: id("-u"), gid: id("-g") };
}

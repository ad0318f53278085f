import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { chownSync, existsSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";

/** A PgBouncer of this test's own, in transaction mode, in front of one server. */
export interface PrivatePgBouncer {
  /** `postgres://...` of the pooler; reached over a socket in its own folder. */
  readonly url: string;
  /** Stops it and removes its folder. */
  stop(): Promise<void>;
}

const PORT = 6432;
const STARTS_MS = 10_000;

function pgBouncerProgram(): string | undefined {
  return ["/usr/sbin", ...(process.env["PATH"] ?? "").split(delimiter)]
    .map((folder) => join(folder, "pgbouncer"))
    .find((program) => existsSync(program));
}

/** Why tests through PgBouncer are skipped; undefined where they run. */
export function whyNoPgBouncer(): string | undefined {
  return pgBouncerProgram() === undefined
    ? "no PgBouncer is installed (no pgbouncer in /usr/sbin or the PATH)"
    : undefined;
}

/** Starts PgBouncer in front of a server that `startPostgres` started; `connections` to the server at most. */
export async function startPgBouncer(serverUrl: string, { connections = 3 } = {}): Promise<PrivatePgBouncer> {
  const program = pgBouncerProgram();
  if (program === undefined) throw new Error(String(whyNoPgBouncer()));
  const folder = mkdtempSync(join(tmpdir(), "occo-pb-"));
  const server = decodeURIComponent(
    new URL(serverUrl.replace("@", "@localhost/")).pathname.split("/").slice(1, -1).join("/"),
  );
  const file = join(folder, "pgbouncer.ini");
  writeFileSync(join(folder, "users.txt"), '"postgres" ""\n');
  writeFileSync(
    file,
    `[databases]
* = host=${server} user=postgres
[pgbouncer]
listen_addr =
listen_port = ${PORT}
unix_socket_dir = ${folder}
auth_type = trust
auth_file = ${join(folder, "users.txt")}
pool_mode = transaction
default_pool_size = ${connections}
max_client_conn = 300
server_login_retry = 1
logfile = ${join(folder, "log")}
`,
  );
  const isRoot = process.getuid?.() === 0;
  if (isRoot) {
    const id = (flag: string): number => Number(execFileSync("id", [flag, "postgres"], { encoding: "utf8" }));
    for (const path of [folder, file, join(folder, "users.txt")]) chownSync(path, id("-u"), id("-g"));
  }
  const child: ChildProcess = spawn(program, [...(isRoot ? ["-u", "postgres"] : []), file], { stdio: "ignore" });
  const kill = (): void => {
    child.kill("SIGKILL");
    rmSync(folder, { recursive: true, force: true });
  };
  process.once("exit", kill);
  const socket = join(folder, `.s.PGSQL.${PORT}`);
  for (const end = performance.now() + STARTS_MS; !existsSync(socket); await sleep(20)) {
    if (performance.now() < end && child.exitCode === null) continue;
    kill();
    throw new Error("PgBouncer did not start");
  }
  return {
    url: `postgres://postgres@${encodeURIComponent(folder)}:${PORT}/postgres`,
    async stop() {
      process.off("exit", kill);
      if (child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

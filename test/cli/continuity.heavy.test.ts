import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { createHash } from "node:crypto";
import { copyFileSync, existsSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { DatabaseSync } from "node:sqlite";
import { fileURLToPath } from "node:url";
import canonicalize from "canonicalize";
import { Command } from "commander";
import pg from "pg";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { newFolder } from "../../harness/temporary.ts";
import { addContinuityCommands } from "../../src/cli/continuity/commands.ts";
import { LeaseKeeper, stepTool, workTools } from "../../src/continuity-tools/index.ts";
import { Continuity, type ContinuityStore, openPostgresStore, openSqliteStore } from "../../src/continuity/index.ts";
import { textWidth } from "../../src/doctor/printable.ts";
import { type PrivatePostgres, startPostgres, whyNoPostgres } from "../../harness/postgres.ts";
import { startS3 } from "../continuity/s3-server.ts";
import { cli, type Run, userEnvironment } from "./fixture.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const LONG =
  "The header and the table are laid out. The footer with the bank details is missing; the customer wants IBAN and BIC on every page and not only on the last one. ".repeat(
    3,
  );

let env: NodeJS.ProcessEnv;
/** OpenClaw's state directory, with the store that is there by default. */
let stateDir: string;
let file: string;
let cwd: string;

/** The command as a process of its own: for what only a process shows, because each takes a second. */
const spawned = (...args: string[]): Run => cli(["continuity", ...args], cwd, env);

/** The command in this process, with what it prints and its exit code. */
async function run(...args: string[]): Promise<Run> {
  const printed = { stdout: "", stderr: "" };
  const spies = (["stdout", "stderr"] as const).map((name) =>
    vi.spyOn(process[name], "write").mockImplementation((text) => ((printed[name] += String(text)), true)),
  );
  const program = new Command().exitOverride();
  addContinuityCommands(program, (one) => one.option("--json").option("--quiet").allowExcessArguments(false));
  process.exitCode = undefined;
  try {
    await program.parseAsync(["continuity", ...args], { from: "user" });
    const { stdout } = printed;
    return {
      status: Number(process.exitCode ?? 0),
      stdout,
      stderr: printed.stderr,
      data: args.includes("--json") ? (JSON.parse(stdout) as Run["data"]) : {},
    };
  } finally {
    for (const spy of spies) spy.mockRestore();
    process.exitCode = undefined;
  }
}
const json = (...args: string[]): Promise<Run> => run(...args, "--json");

beforeAll(async () => {
  const home = newFolder();
  [env, cwd, stateDir] = [userEnvironment(home), newFolder(), join(home, ".openclaw")];
  file = join(stateDir, "openclaw-continuity.sqlite");
  vi.stubEnv("OPENCLAW_STATE_DIR", stateDir);
  await fill(openSqliteStore({ file }), { ago: 3 * DAY_MS });
});
afterAll(() => {
  vi.unstubAllEnvs();
});

/** A project in the middle of its work, as it was left so long ago. */
async function fill(store: ContinuityStore, { ago = 0, projects = ["invoices"] } = {}): Promise<void> {
  const continuity = new Continuity({
    store,
    author: { entry: "openclaw", name: "agent:main:main" },
    now: () => Date.now() - ago,
    snapshots: { everyEvents: 5 },
  });
  for (const name of projects) {
    const project = await continuity.project(name);
    const { goal_id } = await project.createGoal({ text: "Send the invoices of November", priority: 5 });
    const { task_id } = await project.addTask({
      goal_id,
      title: "Write the template",
      acceptance_criteria: ["VAT is shown"],
    });
    const { task_id: other } = await project.addTask({ goal_id, title: "Ask \u001b[2J\u202eBob\nrm -rf /" });
    await project.startTask({ task_id: other });
    await project.blockTask({ task_id: other, blocker: "Bob is away" });
    await project.startTask({ task_id });
    await project.updateCheckpoint({
      task_id,
      where_we_left_off: LONG,
      next_step: "Write the footer",
      needed_context_refs: ["template.typ"],
      blockers: ["BIC unknown"],
    });
    const lease = await project.acquireLease({ owner_id: "laptop/1/2/ab" });
    await project.runStep(lease, { step_id: "render", step_type: "pure" }, async () => "rendered ".repeat(100));
    await project.steps.begin(lease, { step_id: "send-1", step_type: "non_idempotent", idempotency_key: "k" });
    await lease.release();
  }
  await continuity.close();
}

function changed(change: (database: DatabaseSync) => void): string {
  const copy = join(newFolder(), "store.sqlite");
  copyFileSync(file, copy);
  const database = new DatabaseSync(copy);
  change(database);
  database.close();
  return copy;
}

describe("what a person is shown", () => {
  test("status: where the work stands and what comes next, with nothing that others wrote acting on the terminal or breaking a line", async () => {
    const { status, stdout, stderr } = spawned("status");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    for (const expected of [
      "Project invoices",
      "1 doing, 1 blocked",
      "for 3 days: agents ask",
      "1 completed, 1 without",
      "lease      free",
      "step       Write the footer",
      "needs      template.typ",
      "blocker    BIC unknown",
      "done when  VAT is shown",
    ]) {
      expect(stdout).toContain(expected);
    }
    expect(stdout).toMatch(/Bob is away \(Ask \\u001b\[2J\\u202eBob rm -rf \/\)/);
    expect(stdout).toMatch(/may have run\n {2}send-1, attempt 1, \d{4}-.*must not be/);
    for (const line of stdout.split("\n")) {
      expect(textWidth(line), line).toBeLessThanOrEqual(80);
      expect(line).not.toMatch(/[\p{Cc}\p{Cf}]|^rm/u);
    }
    expect((await json("status")).data).toMatchObject({
      ok: true,
      project_id: "invoices",
      counts: { doing: 1, blocked: 1, todo: 0, done: 0 },
      stale: true,
      lease: null,
      completed_steps: 1,
      events: 12,
      place: file,
      next: { rule: "doing", next_step: "Write the footer" },
      open_steps: [{ step_id: "send-1" }],
      checkpoint: { where_we_left_off: LONG },
    });
  });

  test("next: the recorded step and the rule that chose it", async () => {
    const { status, stdout } = await run("next");
    expect(status).toBe(0);
    expect(stdout).toMatch(/step {7}Write the footer\n {2}by {9}OpenClaw conversation agent:main:main\n/);
    expect(stdout).toMatch(/why {8}it is in progress\n/);
    expect((await json("next")).data).toMatchObject({
      ok: true,
      project_id: "invoices",
      next: { rule: "doing", next_step: "Write the footer", where_we_left_off: LONG },
      stale: true,
    });
  });

  test("history: one line for each event in the order of the ledger; the latest, those behind one, or those of a type", async () => {
    const all = (await run("history")).stdout.trimEnd().split("\n");
    expect(all).toHaveLength(12);
    expect(all[0]).toMatch(/^ 1 {2}\d{4}-\d\d-\d\d \d\d:\d\d:\d\d UTC {2}openclaw {2}goal created: Send/);
    for (const line of all) expect(textWidth(line), line).toBeLessThanOrEqual(80);
    const sequences = async (...args: string[]): Promise<number[]> =>
      ((await json("history", ...args)).data["events"] as { event_seq: number }[]).map(({ event_seq }) => event_seq);
    expect(await sequences("--limit", "3")).toEqual([10, 11, 12]);
    expect(await sequences("--after", "3", "--limit", "2")).toEqual([4, 5]);
    expect(await sequences("--type", "task_started", "--limit", "1")).toEqual([6]);
    expect(await sequences("--type", "task_started", "--after", "0", "--limit", "1")).toEqual([4]);
    expect(spawned("history", "--type", "nonsense").status).toBe(2);
  });

  test("only looking changes no byte of the store", async () => {
    const before = readFileSync(file);
    for (const command of ["status", "next", "history", "verify"]) expect((await run(command)).status, command).toBe(0);
    expect(spawned("export").status).toBe(0);
    expect(readFileSync(file).equals(before)).toBe(true);
    expect(readdirSync(stateDir)).toEqual(["openclaw-continuity.sqlite", "openclaw-continuity.sqlite.anchor"]);
  });
});

describe("export", () => {
  test("every event as a line that can be checked without this program", async () => {
    const { status, stdout } = spawned("export");
    expect(status).toBe(0);
    const lines = stdout.trimEnd().split("\n");
    let previous: string | null = null;
    for (const [at, line] of lines.entries()) {
      const { checksum, ...payload } = JSON.parse(line) as {
        checksum: string;
        event_seq: number;
        previous: string | null;
      };
      expect(payload.event_seq).toBe(at + 1);
      expect(createHash("sha256").update(canonicalize(payload)!).digest("hex")).toBe(checksum);
      expect(payload.previous).toBe(previous);
      previous = checksum;
    }
    expect(lines).toHaveLength(12);
    // A reader that has seen enough.
    const head = spawnSync("sh", ["-c", '"$0" "$1" continuity export | head -n 1 | wc -l', process.execPath, MAIN], {
      env,
      cwd,
      encoding: "utf8",
    });
    expect({ stdout: head.stdout.trim(), stderr: head.stderr }).toEqual({ stdout: "1", stderr: "" });
  });

  test("into a file: whole, for its owner only, and never over one that is there", async () => {
    const out = join(newFolder(), "ledger.jsonl");
    expect((await json("export", "--out", out)).data).toMatchObject({ ok: true, events: 12, file: out });
    expect(readFileSync(out, "utf8")).toBe(spawned("export").stdout);
    expect(statSync(out).mode & 0o777).toBe(0o600);
    writeFileSync(out, "mine");
    expect(await json("export", "--out", out)).toMatchObject({ status: 1, data: { code: "not-writable" } });
    expect(readFileSync(out, "utf8")).toBe("mine");
    expect((await json("export", "--out", join(out, "below"))).data).toMatchObject({ code: "not-writable" });
    // A damaged ledger leaves no half file.
    const damaged = join(newFolder(), "ledger.jsonl");
    const store = changed((database) =>
      database.exec("UPDATE events SET payload = replace(payload, 'Bob is away', 'Bob is here')"),
    );
    expect(await run("export", "--file", store, "--out", damaged)).toMatchObject({ status: 1, stdout: "" });
    expect(readdirSync(dirname(damaged))).toEqual([]);
  });
});

describe("verify", () => {
  test("a sound store: exit code 0, and how much was looked at", async () => {
    expect((await run("verify")).stdout).toMatch(
      /^invoices: intact \(12 events, 2 snapshots, 1 completed step\)\n {2}ends with 12:[0-9a-f]{64}\n$/,
    );
    expect((await json("verify")).data).toMatchObject({
      ok: true,
      damages: 0,
      projects: [{ project_id: "invoices", events: 12, snapshots: 2, completed_steps: 1, damages: [], dropped: 0 }],
    });
  });

  test.each([
    ["an event", "UPDATE events SET payload = replace(payload, 'Bob is away', 'Bob is awaz')", /event: .*event 5 /],
    [
      "a snapshot",
      "UPDATE snapshots SET state_inline = replace(state_inline, 'November', 'Novembes') WHERE last_event_seq = 10",
      /snapshot: .*checksum/,
    ],
    ["a result", "UPDATE step_results SET content = '\"rendereD\"'", /step: .*step render/],
  ])("a change in %s is named, exit code 1", async (_, sql, named) => {
    const store = changed((database) => database.exec(`PRAGMA foreign_keys = OFF; ${sql}`));
    const { status, stdout } = await run("verify", "--file", store);
    expect(status).toBe(1);
    expect(stdout).toContain("invoices: DAMAGED");
    expect(stdout.replaceAll(/\n {2}/g, " ")).toMatch(named);
    for (const line of stdout.split("\n")) expect(textWidth(line)).toBeLessThanOrEqual(80);
  });

  test("a damaged snapshot over a whole ledger: the other commands refuse to guess, and --rebuild-snapshots mends it", async () => {
    const store = changed((database) =>
      database.exec("UPDATE snapshots SET state_inline = replace(state_inline, 'November', 'Novembes')"),
    );
    for (const command of ["next", "history"])
      expect(await json(command, "--file", store), command).toMatchObject({
        status: 1,
        data: { ok: false, code: "damaged" },
      });
    expect((await run("status", "--file", store)).stderr).toMatch(/continuity verify --file \S+ --rebuild-snapshots`/);
    expect(await json("verify", "--rebuild-snapshots", "--file", store)).toMatchObject({
      status: 0,
      data: { damages: 0, projects: [{ dropped: 2, snapshots: 0 }] },
    });
    expect(await json("next", "--file", store)).toMatchObject({
      status: 0,
      data: { next: { next_step: "Write the footer" } },
    });
  });

  test("of a damaged ledger no snapshot is dropped: it may be all that is left", async () => {
    const store = changed((database) =>
      database.exec("UPDATE events SET payload = replace(payload, 'Bob is away', 'Bob is awaz')"),
    );
    expect(await json("verify", "--rebuild-snapshots", "--file", store)).toMatchObject({
      status: 1,
      data: { projects: [{ dropped: 0, snapshots: 2 }] },
    });
  });

  test("a file whose pages are damaged is refused in words, whatever SQLite makes of it", async () => {
    const bytes = readFileSync(file);
    for (let at = 4096; at < bytes.length; at += 4096) bytes.fill(0xff, at, at + 64);
    const store = join(newFolder(), "store.sqlite");
    writeFileSync(store, bytes);
    for (const command of ["status", "verify"]) {
      const { status, stderr, stdout } = await run(command, "--file", store);
      expect({ command, status }).toEqual({ command, status: 1 });
      expect(stderr + stdout).toMatch(/damaged|DAMAGED/);
      expect(stderr).not.toMatch(/^\s+at /m);
    }
  });
});

test("resolve records what became of a step that may have run, once, and says so in status, history and verify", async () => {
  const at = ["--file", changed(() => undefined)];
  expect((await run("status", ...at)).stdout).toMatch(/send-1, attempt 1.*key\s+k\n.*continuity resolve/s);
  expect((await json("next", ...at)).data).toMatchObject({ open_steps: [{ step_id: "send-1", idempotency_key: "k" }] });
  const found = ["resolve", "send-1", ...at, "--outcome", "completed", "--reason", "in the list", "--result", "sent"];
  expect((await json(...found, "--by", "ann")).data).toMatchObject({ ok: true, attempt_id: 1, duplicate: false });
  expect((await json(...found)).data).toMatchObject({ ok: true, duplicate: true });
  expect((await json("resolve", "send-1", ...at, "--outcome", "not_done", "--reason", "r")).data).toMatchObject({
    ok: false,
    code: "invalid-transition",
  });
  expect((await json("resolve", "other", ...at, "--outcome", "not_done", "--reason", "r")).data).toMatchObject({
    ok: false,
    code: "step-not-started",
  });
  expect((await json("history", ...at, "--type", "step_resolved")).data).toMatchObject({
    events: [{ author: { entry: "cli", name: "ann" }, data: { outcome: "completed", reason: "in the list" } }],
  });
  expect((await run("status", ...at)).stdout).toMatch(/2 completed, 0 without a known outcome/);
  expect((await run("verify", ...at)).status).toBe(0);
});

describe("which store and project", () => {
  test("a store that is not there is said plainly, and none is made", async () => {
    const nowhere = join(newFolder(), "below", "store.sqlite");
    for (const command of ["status", "next", "history", "export", "verify"]) {
      const { status, stdout, stderr } = await run(command, "--file", nowhere);
      expect({ command, status, stdout }).toEqual({ command, status: 1, stdout: "" });
      expect(stderr).toContain("refused (not-found): expected a continuity store in");
    }
    expect(existsSync(dirname(nowhere))).toBe(false);
    const empty = join(newFolder(), "store.sqlite");
    writeFileSync(empty, "");
    expect((await json("status", "--file", empty)).data).toMatchObject({ code: "not-found" });
    expect(statSync(empty).size).toBe(0);
  });

  test("a store without work, a newer one, and another program's", async () => {
    const empty = join(newFolder(), "store.sqlite");
    await openSqliteStore({ file: empty }).close();
    expect(await json("status", "--file", empty)).toMatchObject({ status: 1, data: { code: "not-found" } });
    expect(await run("verify", "--file", empty)).toMatchObject({ status: 0, stdout: `no project in ${empty}\n` });
    const newer = changed((database) => database.exec("PRAGMA user_version = 99"));
    const bytes = readFileSync(newer);
    expect(await json("status", "--file", newer)).toMatchObject({ status: 1, data: { code: "newer" } });
    expect(readFileSync(newer).equals(bytes)).toBe(true);
    const foreign = join(newFolder(), "store.sqlite");
    writeFileSync(
      foreign,
      "not a database at all, but a text that is long enough for SQLite to look at its beginning and to see that",
    );
    expect(await json("status", "--file", foreign)).toMatchObject({ status: 1, data: { code: "foreign" } });
  });

  test("of several projects one has to be chosen for what is of one, a slip makes none, and verify looks at all", async () => {
    const several = join(newFolder(), "store.sqlite");
    await fill(openSqliteStore({ file: several }), { projects: ["b", "a\u001b[2J"] });
    const refused = await run("next", "--file", several);
    expect(refused).toMatchObject({ status: 1, stdout: "" });
    expect(refused.stderr).toContain("found a\\u001b[2J, b. Choose one.");
    expect((await json("status", "--file", several, "--project", "b")).data).toMatchObject({
      ok: true,
      project_id: "b",
      stale: false,
    });
    expect((await json("status", "--file", several, "--project", "c")).data).toMatchObject({ code: "not-found" });
    expect(
      ((await json("verify", "--file", several)).data["projects"] as { project_id: string }[]).map(
        ({ project_id }) => project_id,
      ),
    ).toEqual(["a\u001b[2J", "b"]);
    expect((await json("verify", "--file", several, "--project", "b")).data["projects"]).toHaveLength(1);
  });

  test("what was recorded over MCP is in a store of its own, and whoever looks in the other one is told", async () => {
    const home = newFolder();
    vi.stubEnv("OPENCLAW_STATE_DIR", home);
    try {
      await fill(openSqliteStore({ file: join(home, "openclaw-continuity-mcp.sqlite") }), { projects: ["over-mcp"] });
      expect((await json("status", "--store", "mcp")).data).toMatchObject({
        ok: true,
        project_id: "over-mcp",
        place: join(home, "openclaw-continuity-mcp.sqlite"),
      });
      expect(await run("status")).toMatchObject({
        status: 0,
        stdout: expect.stringContaining(
          "What agents have recorded over MCP is in another store: --store mcp.",
        ) as string,
      });
      expect((await run("status", "--store", "openclaw")).stdout).not.toContain("--store mcp");
    } finally {
      vi.stubEnv("OPENCLAW_STATE_DIR", stateDir);
    }
    for (const wrong of [
      ["--store", "mine"],
      ["--store", "mcp", "--file", file],
      ["--store", "mcp", "--postgres", "postgres://x", "--schema", "x"],
    ])
      expect(spawned("status", ...wrong).status, wrong.join(" ")).toBe(2);
  });

  test("wrong usage", async () => {
    expect((await json("status", "--schema", "x")).data).toMatchObject({ code: "bad-input" });
    expect(spawned("status", "--file", file, "--postgres", "postgres://x").status).toBe(2);
    expect(spawned("status", "extra").status).toBe(2);
    expect(await json("status", "--postgres", "postgres://nobody@127.0.0.1:1/none?connect_timeout=1")).toMatchObject({
      status: 1,
      data: { code: "unavailable" },
    });
  });

  test("a bad address of a store is said in a sentence by each command, without a stack trace or a password", async () => {
    const addresses = [
      "foo",
      "postgres://u:s3cret@127.0.0.1:99999/d",
      "postgres://u:s3cret@127.0.0.1:1/d?connect_timeout=1",
      "postgres://u:s3cret@no-such-host.invalid/d",
      "postgres://u:s3cret@127.0.0.1/d?sslmod=x",
    ];
    for (const address of addresses) {
      for (const command of ["status", "next", "history", "export", "verify"]) {
        const { status, stdout, stderr } = await run(command, "--postgres", address);
        expect({ address, command, status, stdout }).toEqual({ address, command, status: 1, stdout: "" });
        expect(stderr).toMatch(
          /^(?:openclaw-integrity: warning: the PostgreSQL server no-such-host\.invalid is reached without TLS: .*\n)?(?:openclaw-integrity: warning: waiting up to 1 s for the PostgreSQL server: .*\n)?openclaw-integrity: refused \((?:bad-input|unavailable)\): expected .*; found .*\n$/,
        );
        expect(stderr).not.toContain("s3cret");
      }
      for (const command of ["verify", "mcp"]) {
        const { status, stdout, stderr } = spawned(command, "--postgres", address);
        expect({ address, command, status, stdout }).toEqual({ address, command, status: 1, stdout: "" });
        expect(stderr).not.toMatch(/^\s+at |s3cret/m);
      }
    }
  });

  test("a bad address of an object storage is said in a sentence; one that does not answer keeps no agent from its work, and one that knows no such key or bucket does", async () => {
    const s3 = await startS3();
    /** The storage is this process's: it must not be waited for in it. */
    const mcp = async (endpoint: string, key = "S3RVER"): Promise<{ status: unknown; stderr: string }> => {
      const variables = {
        OPENCLAW_CONTINUITY_S3_ENDPOINT: endpoint,
        OPENCLAW_CONTINUITY_S3_ACCESS_KEY_ID: key,
        OPENCLAW_CONTINUITY_S3_SECRET_ACCESS_KEY: "S3RVER",
        OPENCLAW_CONTINUITY_S3_REGION: "us-east-1",
      };
      const server = spawn(process.execPath, [MAIN, "continuity", "mcp", "--file", join(newFolder(), "s.sqlite")], {
        cwd,
        env: { ...env, ...variables },
        stdio: ["ignore", "ignore", "pipe"],
      });
      let stderr = "";
      server.stderr.on("data", (chunk: Buffer) => (stderr += chunk.toString()));
      const [status] = (await once(server, "close")) as [unknown];
      return { status, stderr };
    };
    try {
      expect(await mcp(s3.endpoint())).toEqual({ status: 0, stderr: "" });
      expect(await mcp("s3.example.com/bucket")).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /^openclaw-integrity: refused \(bad-input\): expected the address of a bucket.*\n$/,
        ) as string,
      });
      expect(await mcp(s3.endpoint(), "unknown")).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /^openclaw-integrity: refused \(not-writable\): .*InvalidAccessKeyId.*\n$/,
        ) as string,
      });
      expect(await mcp(s3.endpoint("nobucket"))).toEqual({
        status: 1,
        stderr: expect.stringMatching(
          /^openclaw-integrity: refused \(not-writable\): .*no bucket at its address.*\n$/,
        ) as string,
      });
      expect(await mcp("http://no-such-host.invalid/bucket")).toEqual({
        status: 0,
        stderr: expect.stringMatching(
          /^openclaw-integrity: warning: .*without TLS.*\nopenclaw-integrity: warning: expected the object storage to answer; found .* no snapshots are made, and large results are refused\.\n$/,
        ) as string,
      });
    } finally {
      await s3.remove();
    }
  });

  test("half of the object storage's keys is refused by name", async () => {
    vi.stubEnv("OPENCLAW_CONTINUITY_S3_ENDPOINT", "http://127.0.0.1:1/bucket");
    const { data } = await json("status");
    vi.stubEnv("OPENCLAW_CONTINUITY_S3_ENDPOINT", undefined);
    expect(data).toMatchObject({
      ok: false,
      code: "bad-input",
      message: expect.stringContaining(
        "no OPENCLAW_CONTINUITY_S3_ACCESS_KEY_ID, no OPENCLAW_CONTINUITY_S3_SECRET_ACCESS_KEY",
      ) as string,
    });
  });

  test("a store whose snapshots are elsewhere says so", async () => {
    const store = changed((database) =>
      database.exec("UPDATE snapshots SET state_s3_key = 'a/b', state_inline = NULL"),
    );
    expect(await json("verify", "--file", store)).toMatchObject({
      status: 1,
      data: {
        code: "no-object-storage",
        message: expect.stringContaining("no object storage in the configuration") as string,
      },
    });
  });
});

test("the documentation leaves out no error code, metric or tool", () => {
  const text = (path: string): string => readFileSync(fileURLToPath(new URL(`../../${path}`, import.meta.url)), "utf8");
  const [documentation, codes, metrics] = [
    text("docs/continuity.md"),
    text("src/continuity/base/errors.ts").matchAll(/\| "([a-z-]+)"/g),
    text("src/continuity/ledger/metrics.ts").matchAll(/^ {2}readonly (\w+): number;/gm),
  ];
  const names = [
    ...[...codes, ...metrics].map(([, name]) => name!),
    ...[...workTools(), stepTool(new LeaseKeeper())].map(({ name }) => name),
  ];
  expect(names).toHaveLength(31 + 6 + 6);
  const rows = [...documentation.matchAll(/^\| (`[^|]*) \|/gm)].flatMap(([, cell = ""]) => cell.split(", "));
  expect(names.filter((name) => !rows.includes(`\`${name}\``))).toEqual([]);
});

const why = whyNoPostgres();
describe.skipIf(why)(`PostgreSQL${why === undefined ? "" : `: ${why}`}`, () => {
  let postgres: PrivatePostgres;
  beforeAll(async () => {
    postgres = await startPostgres();
    await fill(await openPostgresStore({ connectionString: postgres.url, schema: "work" }));
  });
  afterAll(() => postgres.stop());

  test("shows, exports and checks the same; a schema that is not there is not made", async () => {
    const at = ["--postgres", postgres.url, "--schema", "work"];
    expect((await json("status", ...at)).data).toMatchObject({
      ok: true,
      next: { next_step: "Write the footer" },
      stale: false,
      events: 12,
      place: "schema work",
    });
    expect((await run("history", ...at)).stdout.trimEnd().split("\n")).toHaveLength(12);
    expect(
      spawned("export", ...at)
        .stdout.trimEnd()
        .split("\n"),
    ).toHaveLength(12);
    expect(await run("verify", ...at)).toMatchObject({ status: 0 });
    for (const command of ["status", "verify"])
      expect((await json(command, "--postgres", postgres.url, "--schema", "nowhere")).data, command).toMatchObject({
        code: "not-found",
      });
    // What people write, all projects, and a row that is lost.
    expect((await json("goal", "create", "another", "--new", "--project", "new", ...at)).data).toMatchObject({
      ok: true,
      project_id: "new",
    });
    expect((await json("status", ...at)).data).toMatchObject({
      projects: [{ project_id: "invoices", needs: "unknown_step" }, { project_id: "new" }],
    });
    const client = new pg.Client({ connectionString: postgres.url });
    await client.connect();
    await client.query("DELETE FROM work.workflows WHERE project_id = 'new'");
    await client.end();
    expect((await json("verify", ...at)).data).toMatchObject({ damages: 1, lost: [{ events: 1 }] });
    expect(await json("status", ...at)).toMatchObject({ status: 3, data: { projects: { length: 2 } } });
    const listed = await run(
      "resolve",
      "--postgres",
      postgres.url.replace("postgres@", "postgres:s3cret@"),
      "--schema",
      "work",
    );
    expect(listed.stdout).toMatch(/send-1.*--schema work --project invoices --outcome completed/s);
    expect(listed.stdout + listed.stderr).not.toContain("s3cret");
    await expect(
      openPostgresStore({ connectionString: postgres.url, schema: "nowhere", mustExist: true }),
    ).rejects.toThrow("expected a continuity store in schema nowhere");
    expect((await json("status", "--postgres", postgres.url.replace("postgres@", "nobody@"))).data).toMatchObject({
      code: "not-writable",
    });
  });
});

/**
 * What others chose (keys, ids, names of tools and files, words of an error) does nothing to the terminal that a
 * command runs in.
 */
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import { visible } from "../../src/base/visible.ts";
import { cli, smallPackage, userEnvironment } from "./fixture.ts";
import { ACTS, hostileState, names, type HostileState, type Names } from "./hostile-state.ts";

let root: string;
beforeAll(async () => {
  root = await smallPackage("2026.2.3");
});

const RUNS = Number(process.env["TERMINAL_RUNS"] ?? 2);

/** Each command, what it is for a person to read; those that refuse among them. */
function commandsFor(named: Names, { archive, openclaw }: HostileState): readonly (readonly string[])[] {
  const at = ["--path", root];
  return [
    ["sessions", "list"],
    ["sessions", "scan", "--all"],
    ["sessions", "scan", "--agent", named.agent],
    ["sessions", "show", named.session, "--agent", "main", "--content"],
    ["sessions", "show", named.words],
    ["sessions", "doctor"],
    ["sessions", "doctor", named.session, "--agent", "main", "--content"],
    ["sessions", "repair", "--all", "--dry-run", ...at],
    ["sessions", "restore", archive],
    ["sessions", "restore", `${named.archive}.json`, ...at],
    ["sessions", "restore", named.words],
    ["checkpoints", "list"],
    ["checkpoints", "list", "--session", named.key, ...at],
    ["checkpoints", "show", named.checkpoint, ...at],
    ["checkpoints", "show", named.words, ...at],
    ["timeline", "rewind", named.session, named.checkpoint, "--agent", "main", ...at],
    ["timeline", "show", named.session, "--agent", "main", "--content"],
    ["timeline", "graph", named.session, "--agent", "main", "--content"],
    ["timeline", "mark", named.session, named.mark, "--agent", "main"],
    ["timeline", "log", named.session, "--agent", "main"],
    ["timeline", "rewind", named.session, named.words, "--agent", "main", ...at],
    ["timeline", "rewind", named.session, `${named.entry}0`, "--agent", "main", ...at],
    ["continuity", "status"],
    ["continuity", "status", "--project", named.project],
    ["continuity", "next", "--project", named.project],
    ["continuity", "history", "--project", named.project],
    ["continuity", "history", "--project", named.words],
    ["continuity", "status", "--file", named.file],
    ["status", "--path", openclaw],
    ["apply", "--path", openclaw],
    ["explain", "--path", openclaw],
    ["verify", "--path", named.words],
    ["write-patches", named.file, "--path", openclaw],
    ["plugin", "status", "--path", openclaw],
    ["sessions", "repair", named.session, "--agent", "main", ...at],
    [named.option],
    ["apply", `--${named.option}`],
    ["sessions", "list", named.words],
    ["timeline", "show", "x", "--limit", named.words],
  ];
}

test("nothing that a command prints holds a control, a bidirectional or an invisible character, whatever sessions, tools, files and refusals are called", async () => {
  await fc.assert(
    fc.asyncProperty(names, async (named) => {
      const state = await hostileState(named);
      const env = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: state.stateDir };
      const faults: string[] = [];
      let shown = "";
      for (const args of commandsFor(named, state)) {
        const { status, stdout, stderr } = cli(args, newFolder(), env);
        shown += stdout + stderr;
        for (const [where, printed] of Object.entries({ stdout, stderr })) {
          const found = ACTS.exec(printed);
          if (found)
            faults.push(
              `${args.slice(0, 2).map(visible).join(" ")}: ${where} holds ${visible(printed.slice(Math.max(0, found.index - 30), found.index + 10))}`,
            );
        }
        if (status === null || /\n\s+at .*:\d+:\d+/.test(stderr))
          faults.push(`${args.slice(0, 2).map(visible).join(" ")}: ended with a fault: ${stderr.slice(0, 300)}`);
        if (stdout + stderr === "") faults.push(`${args.slice(0, 2).map(visible).join(" ")}: said nothing`);
      }
      expect(faults).toEqual([]);
      // They are shown, and not left out.
      for (const name of [
        named.session,
        named.key,
        named.tool,
        named.agent,
        named.checkpoint,
        named.project,
        named.version,
      ])
        expect(shown).toContain(visible(name).slice(0, 12));
    }),
    { numRuns: RUNS, endOnFailure: true },
  );
}, 900_000);

test("--json prints the same values, and nothing in it acts on a terminal either", async () => {
  const named = fc.sample(names, { numRuns: 1, seed: 7 })[0]!;
  const { stateDir } = await hostileState(named);
  const env = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: stateDir };
  for (const args of [
    ["sessions", "list"],
    ["checkpoints", "list"],
    ["timeline", "show", named.session, "--agent", "main", "--content"],
    ["continuity", "status", "--project", named.project],
    ["sessions", "show", named.words],
  ]) {
    const { stdout, data } = cli([...args, "--json"], newFolder(), env);
    expect(stdout).not.toMatch(ACTS);
    expect(Object.keys(data).length).toBeGreaterThan(1);
  }
  const { data } = cli(["checkpoints", "list", "--json"], newFolder(), env);
  expect(data).toMatchObject({ checkpoints: [{ id: named.checkpoint, sessionId: named.session }] });
}, 300_000);

test("a fault of the program itself is shown the same way, with exit code 1", () => {
  const late = `data:text/javascript,${encodeURIComponent('setTimeout(() => { throw new Error("broke on \\u001b[2Jkey\\u202e\\nsecond line"); }, 1500);')}`;
  const { status, stderr } = cli(["sessions", "list"], newFolder(), {
    ...userEnvironment(newFolder()),
    OPENCLAW_STATE_DIR: newFolder(),
    NODE_OPTIONS: `--import=${late}`,
  });
  expect(status).toBe(1);
  expect(stderr).toMatch(/^Error: broke on \\u001b\[2Jkey\\u202e\nsecond line\n {4}at [^]*please report it\.\n$/);
  expect(stderr).not.toMatch(ACTS);
});

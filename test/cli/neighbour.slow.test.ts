/** What another user of the machine plants in a shared folder, above the one in which a command is run. */
import { execFileSync, spawnSync } from "node:child_process";
import {
  chmodSync,
  chownSync,
  constants,
  copyFileSync,
  cpSync,
  existsSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import {
  giveAll,
  hasNeighbours,
  makeFolderFor,
  makeShared,
  NEIGHBOUR,
  plant,
} from "../../harness/neighbour/neighbour.ts";
import { expectUntouched, recordTree } from "../../harness/neighbour/untouched.ts";
import { NOBODY, reachable, reachableNode } from "../../harness/nobody.ts";
import { newCheckout } from "../patching/checkout-fixture.ts";
import { userEnvironment } from "./fixture.ts";

const VERSION = "2026.9.6";

let shared = "";
let marker = "";
/** Outside of the shared folder: what the user of the command may change. */
let own = "";
beforeEach(() => {
  [shared, own] = [makeShared(), makeShared()];
  marker = join(own, "ran");
});
afterEach(() => {
  for (const folder of [shared, own]) rmSync(folder, { recursive: true });
});

const acts = (): string => `require("node:fs").appendFileSync(${JSON.stringify(marker)}, process.argv.join(" "));`;

function plantOpenclaw(root: string): void {
  plant(join(root, "package.json"), JSON.stringify({ name: "openclaw", version: VERSION, bin: "openclaw.mjs" }));
  for (const file of ["openclaw.mjs", "dist/index.js", "dist/entry.js"])
    plant(
      join(root, file),
      `import { createRequire } from "node:module"; const require = createRequire("/"); ${acts()}`,
    );
}

const CLOSED = "a closed node_modules";
/** What is planted, and how it would act on a command in a folder below. */
const PLANTS: Readonly<Record<string, () => void>> = {
  ".pnp.cjs": () => {
    plantOpenclaw(join(shared, "elsewhere"));
    const data = {
      packageRegistryData: [
        [null, [[null, { packageLocation: "./", packageDependencies: [["openclaw", "npm:1"]] }]]],
        ["openclaw", [["npm:1", { packageLocation: "./elsewhere/", packageDependencies: [] }]]],
      ],
    };
    plant(
      join(shared, ".pnp.cjs"),
      `${acts()}\nconst RAW_RUNTIME_STATE =\n'${JSON.stringify(data)}';\nmodule.exports = { resolveToUnqualified: () => null };`,
    );
  },
  "node_modules/openclaw": () => plantOpenclaw(join(shared, "node_modules", "openclaw")),
  "a package.json named openclaw": () => plantOpenclaw(shared),
  "node_modules/.pnpm": () =>
    plantOpenclaw(join(shared, "node_modules", ".pnpm", `openclaw@${VERSION}`, "node_modules", "openclaw")),
  "a link to an OpenClaw of the user's": () => {
    plantOpenclaw(join(own, "openclaw"));
    giveAll(join(own, "openclaw"), user);
    makeFolderFor(NEIGHBOUR, join(shared, "node_modules"));
    symlinkSync(join(own, "openclaw"), join(shared, "node_modules", "openclaw"));
    giveAll(join(shared, "node_modules"), NEIGHBOUR);
  },
  [CLOSED]: () => {
    makeFolderFor(NEIGHBOUR, join(shared, "node_modules"));
    chmodSync(join(shared, "node_modules"), 0o700);
  },
};

let user = NOBODY;

function run(args: readonly string[], cwd: string, more: NodeJS.ProcessEnv = {}, node = reachableNode()) {
  const home = existsSync(join(own, "home")) ? join(own, "home") : makeFolderFor(user, join(own, "home"));
  const env = { ...userEnvironment(home), PATH: "/usr/bin:/bin", OPENCLAW_STATE_DIR: join(home, ".openclaw"), ...more };
  const { status, stdout, stderr, signal } = spawnSync(node, [reachable(MAIN), ...args], {
    cwd,
    env,
    uid: user,
    gid: user,
    encoding: "utf8",
    timeout: 60_000,
  });
  return { args, status, signal, text: stdout + stderr };
}

const COMMANDS: readonly (readonly string[])[] = [
  ["status"],
  ["verify"],
  ["explain"],
  ["apply"],
  ["revert"],
  ["prove"],
  ["setup", "--dry-run"],
  ["setup", "--yes"],
  ["plugin", "status"],
  ["plugin", "install", "--yes"],
  ["write-patches", "patches"],
];
/** One that reads, and one that starts OpenClaw. */
const FEW = COMMANDS.filter(([name]) => name === "status" || name === "prove");

describe.skipIf(!hasNeighbours)("what a neighbour plants above decides nothing and is not run", () => {
  const cases = Object.keys(PLANTS).flatMap((name, nth) => [
    [name, NOBODY, nth < 2 ? COMMANDS : FEW] as const,
    ...(nth < 2 || name === CLOSED ? [[name, 0, FEW] as const] : []),
  ]);
  test.each(cases)("%s, for user %i", (name, uid, commands) => {
    user = uid;
    const work = makeFolderFor(user, join(shared, "work"));
    PLANTS[name]!();
    // A closed folder is open to root, who sees that nothing is in it.
    const isOpen = name === CLOSED && user === 0;
    const before = recordTree(shared);
    for (const args of commands) {
      const expected = isOpen
        ? { status: 1, text: expect.stringContaining("openclaw-missing") }
        : {
            status: 1,
            text: expect.stringMatching(/refused \(openclaw-foreign\): .*, which belongs to user 65533\. /),
          };
      expect(run(args, work)).toMatchObject({ args, ...expected });
    }
    expect(run(["sessions", "doctor"], work).text).not.toMatch(/^\s+at .*:\d+:\d+/m);
    expect(existsSync(marker)).toBe(false);
    expectUntouched(shared, before);
  });

  test("a pipe in the place of a package.json is not waited for", () => {
    user = NOBODY;
    const work = makeFolderFor(user, join(shared, "work"));
    execFileSync("mkfifo", [join(shared, "package.json")]);
    expect(run(["status"], work)).toMatchObject({
      signal: null,
      status: 1,
      text: expect.stringContaining("openclaw-missing"),
    });
  });

  test("the same is refused where it is named, unless its folder is named as trusted, or its owner has called sudo or owns the Node", () => {
    user = NOBODY;
    const root = join(shared, "node_modules", "openclaw");
    plantOpenclaw(root);
    const work = makeFolderFor(user, join(shared, "work"));
    const foreign = { status: 1, text: expect.stringContaining("openclaw-foreign") };
    const read = { status: 1, text: expect.stringContaining(`OpenClaw ${VERSION} cannot be patched as it is`) };
    const status = ["status", "--path", root];
    expect(run(status, work)).toMatchObject(foreign);
    expect(run(status, work, { OPENCLAW_INTEGRITY_TRUSTED_FOLDERS: `/nowhere:${root}` })).toMatchObject(read);
    expect(run(status, work, { OPENCLAW_INTEGRITY_TRUSTED_FOLDERS: `${root}-other` })).toMatchObject(foreign);
    expect(run(status, work, { SUDO_UID: String(NEIGHBOUR) })).toMatchObject(foreign);
    user = 0;
    expect(run(status, work)).toMatchObject(foreign);
    expect(run(status, work, { SUDO_UID: String(NEIGHBOUR) })).toMatchObject(read);
    // Who owns the Node that runs this can do more than plant an OpenClaw: the root of a container works so.
    const node = join(own, "node");
    copyFileSync(reachableNode(), node, constants.COPYFILE_FICLONE);
    chownSync(node, NEIGHBOUR, NEIGHBOUR);
    expect(run(status, work, {}, node)).toMatchObject(read);
  });

  test("an OpenClaw of one's own in a shared folder is found, and not where others can change it", () => {
    user = NOBODY;
    const work = makeFolderFor(user, join(shared, "work"));
    const root = join(work, "node_modules", "openclaw");
    plantOpenclaw(root);
    giveAll(work, user);
    const found = expect.stringContaining(`in ${root} (project)`);
    expect(run(["status"], work).text).toEqual(found);
    for (const [path, mode] of [
      [join(root, "dist"), 0o777],
      [join(root, "openclaw.mjs"), 0o666],
      [work, 0o777],
    ] as const) {
      chmodSync(path, mode);
      expect(run(["status"], work).text).toMatch(/openclaw-foreign.* can be changed by everybody \(mode 0\d+\)/);
      chmodSync(path, 0o755);
    }
    expect(run(["status"], work).text).toEqual(found);
  });

  test("a repository around one's own sources names no program that is run, and sources of the neighbour are refused", () => {
    user = NOBODY;
    const work = makeFolderFor(user, join(shared, "work"));
    for (const name of ["own", "foreign"]) cpSync(newCheckout(), join(work, name), { recursive: true });
    giveAll(join(work, "own"), user);
    giveAll(join(work, "foreign"), NEIGHBOUR);
    execFileSync("git", ["init", "--quiet", shared]);
    execFileSync("git", ["-C", shared, "add", "--all"]);
    const acting = `sh -c 'echo ran > ${marker}; cat'`;
    for (const name of ["filter.e.clean", "filter.e.process", "core.fsmonitor", "core.sshCommand"])
      execFileSync("git", ["config", "-f", join(shared, ".git", "config"), name, acting]);
    writeFileSync(join(shared, ".git", "info", "attributes"), "* filter=e\n");
    giveAll(join(shared, ".git"), NEIGHBOUR);
    const before = recordTree(shared, [join(work, "own")]);
    for (const command of ["verify", "apply", "revert"]) {
      expect(run([command, "--source", join(work, "foreign")], work).text).toContain("openclaw-foreign");
      expect(run([command, "--source", join(work, "own")], work).text).not.toMatch(/git-failed|openclaw-foreign/);
    }
    expect(existsSync(marker)).toBe(false);
    expectUntouched(shared, before, [join(work, "own")]);
  });

  test("a Node beside the OpenClaw of a project is not started, or a proof in /tmp would start /tmp/bin/node", async () => {
    const { findNode } = await import("../../src/prove/openclaw/node.ts");
    const root = join(shared, "work", "node_modules", "openclaw");
    for (const file of ["bin/node", "work/node"])
      plant(join(shared, file), `#!/bin/sh\necho ran > ${marker}\necho v24.99.0\n`);
    const openclaw = { root, release: VERSION, entry: "", nodeRange: ">=24.99.0", offersSessions: false };
    expect((await findNode(openclaw, { PATH: "bin:" })).node).toBeUndefined();
    expect(existsSync(marker)).toBe(false);
    giveAll(join(shared, "bin"), 0);
    expect((await findNode(openclaw, { PATH: "" })).node?.version).toBe("v24.99.0");
  });
});

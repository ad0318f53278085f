/** What becomes of files when an agent or a person goes back in a history. */
import {
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { execFileSync } from "node:child_process";
import { dirname, join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { releasesFolder } from "../../harness/openclaw/releases.ts";
import { carryovers, PLACE, threeTurns, TOOLS } from "../../harness/openclaw/travelling.ts";
import type { ToolCallSpec } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { keepsRows } from "../../src/store/index.ts";
import { cli, userEnvironment, type Run } from "../cli/fixture.ts";
import { shareWorkspace, type SharedWorkspace } from "./shared-workspace.ts";
import { back, call, exec, startWithPath, withoutGit, write } from "./without-git.ts";

/** All of them, in a release that is installed and patched. */
export function allFiles(release: string): void {
  it(`without git OpenClaw ${release} goes on, the agent is told, and moves go on without files`, () =>
    withoutGit(release));
  it(`who writes in a file as soon as the answer of OpenClaw ${release} is there does not write as the agent, however long a capture takes`, () =>
    withSlowGit(release));
  describe(`files come along with a move of an agent of OpenClaw ${release}`, () => {
    const workspace = shareWorkspace(release);
    filesBackAndForth(workspace);
    filesOfAllKinds(workspace);
    takenBackByPerson(workspace);
    takenBackAfterKill(workspace);
  });
}

async function withSlowGit(release: string): Promise<void> {
  const slow = newFolder();
  const git = execFileSync("sh", ["-c", "command -v git"], { encoding: "utf8" }).trim();
  writeFileSync(join(slow, "git"), `#!/bin/sh\ncase "$*" in *ls-files*) sleep 1;; esac\nexec ${git} "$@"\n`, {
    mode: 0o755,
  });
  const { provider, openclaw, close } = await startWithPath(release, `${slow}:${process.env.PATH}`);
  try {
    const file = join(dirname(openclaw.stateDir), "workspace", "shared.txt");
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line}\n`);
    const run = await openclaw.run(threeTurns("anthropic-messages", { tools: [...TOOLS, "write"] }));
    const turn = async (...calls: ToolCallSpec[]): Promise<void> => {
      provider.reset();
      provider.script({ kind: "tool", calls }, { kind: "text", text: "done" });
      expect(await run.send("go on")).toMatchObject({ answered: true });
    };
    mkdirSync(dirname(file), { recursive: true });
    writeFileSync(file, lines.join(""));
    await turn(write("shared.txt", lines.with(2, "the agent's\n").join("")));
    writeFileSync(file, lines.with(2, "the agent's\n").with(17, "the person's\n").join(""));
    await turn(back(PLACE.thirdAnswer));
    expect(readFileSync(file, "utf8")).toBe(lines.with(17, "the person's\n").join(""));
  } finally {
    await close();
  }
}

/** Files that were edited, created and deleted. */
export function filesBackAndForth({ read, at, folder, start, turn, lastRequest }: SharedWorkspace): void {
  it("an edited, a created and a deleted file, by tools and by commands; the undo brings all of it back", async () => {
    writeFileSync(at("edited.txt"), "one\ntwo\n");
    writeFileSync(at("deleted.txt"), "still needed\n");
    const run = await start();
    await turn(
      run,
      [call("edit", { path: "edited.txt", oldText: "two", newText: "2" }), write("created.txt", "new\n")],
      [exec("rm deleted.txt; mkdir -p deep/er; echo by command > deep/er/file; mv standing.txt renamed.txt")],
    );
    expect([read("edited.txt"), read("created.txt"), read("deleted.txt"), read("deep/er/file")]).toEqual([
      "one\n2\n",
      "new\n",
      undefined,
      "by command\n",
    ]);
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect(lastRequest()).toContain("are as they were at this point again");
    expect(readdirSync(folder()).toSorted()).toEqual(["deleted.txt", "edited.txt", "standing.txt"]);
    expect([read("edited.txt"), read("deleted.txt"), read("standing.txt")]).toEqual([
      "one\ntwo\n",
      "still needed\n",
      "stands\n",
    ]);
    const [arrival] = await carryovers(run);
    const { departureId } = arrival!.details as { departureId: string };
    await turn(run, [back(departureId)]);
    expect([
      read("edited.txt"),
      read("created.txt"),
      read("deleted.txt"),
      read("deep/er/file"),
      read("renamed.txt"),
    ]).toEqual(["one\n2\n", "new\n", undefined, "by command\n", "stands\n"]);
  });
}

function filesOfAllKinds({ read, at, folder, start, turn, lastRequest }: SharedWorkspace): void {
  it("binary files and the executable bit", async () => {
    writeFileSync(at("photo.bin"), Buffer.from([0, 1, 2, 255]));
    writeFileSync(at("tool.sh"), "#!/bin/sh\n", { mode: 0o644 });
    const run = await start();
    await turn(run, [exec("printf '\\000\\377' > photo.bin; chmod +x tool.sh")]);
    expect(lstatSync(at("tool.sh")).mode & 0o100).toBe(0o100);
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect(readFileSync(at("photo.bin"))).toEqual(Buffer.from([0, 1, 2, 255]));
    expect(lstatSync(at("tool.sh")).mode & 0o111).toBe(0);
  });

  it("symbolic links: a new target, a link in the place of a file, a link that is new; what they name is not touched", async () => {
    const outside = join(newFolder(), "outside.txt");
    writeFileSync(outside, "outside\n");
    symlinkSync("standing.txt", at("link"));
    writeFileSync(at("file.txt"), "a file\n");
    const run = await start();
    await turn(run, [
      exec(
        `ln -sfn "${outside}" link; rm file.txt; ln -s "${outside}" file.txt; ln -s nowhere dangling; echo x >> link`,
      ),
    ]);
    expect([readlinkSync(at("link")), readlinkSync(at("file.txt")), readlinkSync(at("dangling"))]).toEqual([
      outside,
      outside,
      "nowhere",
    ]);
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect(readdirSync(folder()).toSorted()).toEqual(["file.txt", "link", "standing.txt"]);
    expect(readlinkSync(at("link"))).toBe("standing.txt");
    expect(lstatSync(at("file.txt")).isFile()).toBe(true);
    expect([read("file.txt"), read("standing.txt")]).toEqual(["a file\n", "stands\n"]);
    // Written through the link by the command, and outside the workspace.
    expect(readFileSync(outside, "utf8")).toBe("outside\nx\n");
  });

  it("two files that change names, a chain of names, and a folder in the place of a file", async () => {
    for (const name of ["a", "b", "c", "becomes-folder"]) writeFileSync(at(name), `${name}\n`);
    mkdirSync(at("folder"));
    writeFileSync(at("folder/within"), "within\n");
    const run = await start();
    const names = (): Record<string, string | undefined> =>
      Object.fromEntries(
        ["a", "b", "c", "d", "becomes-folder", "becomes-folder/x", "folder/within"].map((name) => [
          name,
          existsSync(at(name)) && lstatSync(at(name)).isFile() ? read(name) : undefined,
        ]),
      );
    const before = names();
    await turn(
      run,
      [exec("mv a t; mv b a; mv t b; mv c d; mv b c")],
      [
        exec(
          "rm becomes-folder; mkdir becomes-folder; mv folder/within becomes-folder/x; rmdir folder; echo file > folder",
        ),
      ],
    );
    const after = names();
    expect(after).toMatchObject({ a: "b\n", c: "a\n", d: "c\n", "becomes-folder/x": "within\n" });
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect(names()).toEqual(before);
    const [arrival] = await carryovers(run);
    await turn(run, [back((arrival!.details as { departureId: string }).departureId)]);
    expect(names()).toEqual(after);
    expect(read("folder")).toBe("file\n");
  });

  it("without a word on files they stay as they are", async () => {
    const run = await start();
    await turn(run, [write("created.txt", "new\n")]);
    await turn(run, [back(PLACE.thirdAnswer, {})]);
    expect(read("created.txt")).toBe("new\n");
    expect(lastRequest()).toContain("Not undone by going back: files that were written");
  });

  it("a person's change in between is a conflict that is named, and nothing is moved; then it is decided", async () => {
    writeFileSync(at("shared.txt"), "one\n");
    const run = await start();
    await turn(run, [write("shared.txt", "the agent's\n"), write("own.txt", "own\n")]);
    writeFileSync(at("shared.txt"), "the person's\n");
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect(lastRequest()).toMatch(/shared\.txt.{0,10}changed since/);
    expect([read("shared.txt"), read("own.txt")]).toEqual(["the person's\n", "own\n"]);
    expect(await carryovers(run)).toEqual([]);
    await turn(run, [back(PLACE.thirdAnswer, { files: "restore", conflicts: "theirs" })]);
    expect([read("shared.txt"), read("own.txt")]).toEqual(["the person's\n", undefined]);
    expect(lastRequest()).toContain("NOT brought back");
  });

  it("a person's change elsewhere in the same file is merged", async () => {
    const lines = Array.from({ length: 20 }, (_, line) => `line ${line}\n`);
    writeFileSync(at("shared.txt"), lines.join(""));
    const run = await start();
    await turn(run, [write("shared.txt", lines.with(2, "the agent's\n").join(""))]);
    writeFileSync(at("shared.txt"), lines.with(2, "the agent's\n").with(17, "the person's\n").join(""));
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect(read("shared.txt")).toBe(lines.with(17, "the person's\n").join(""));
    expect(lastRequest()).toContain("with what someone else changed in it since");
  });

  it("two sessions in one workspace: the other one's change is a conflict", async () => {
    writeFileSync(at("shared.txt"), "one\n");
    const [one, other] = [await start(), await start()];
    await turn(one, [write("shared.txt", "the first's\n")]);
    await turn(other, [write("shared.txt", "the second's\n"), write("other.txt", "the second's\n")]);
    await turn(one, [back(PLACE.thirdAnswer)]);
    expect(lastRequest()).toMatch(/shared\.txt.{0,10}changed since/);
    expect([read("shared.txt"), read("other.txt")]).toEqual(["the second's\n", "the second's\n"]);
    await turn(other, [back(PLACE.thirdAnswer)]);
    expect([read("shared.txt"), read("other.txt")]).toEqual(["the first's\n", undefined]);
  });
}

/** By the command line, beside the running OpenClaw. */
export function takenBackByPerson({ live, release, read, start, turn }: SharedWorkspace): void {
  it("a person takes conversation and files back between turns, and both forth again", async () => {
    // Where conversations are files, a run in the process leaves no entry for its own.
    const index = join(live.openclaw.stateDir, "agents", "main", "sessions", "sessions.json");
    const run = await start();
    if (!keepsRows(join(releasesFolder(), release, "patched", "node_modules", "openclaw")))
      writeFileSync(index, JSON.stringify({ [run.sessionKey]: { sessionId: run.sessionId, updatedAt: Date.now() } }));
    await turn(run, [write("standing.txt", "changed\n"), exec("echo new > created.txt")]);
    const env = { ...userEnvironment(newFolder()), OPENCLAW_STATE_DIR: live.openclaw.stateDir };
    const rewind = (...args: string[]): Run =>
      cli(
        ["timeline", "rewind", run.sessionKey, ...args, "--yes", "--json", "--path"].concat(
          join(releasesFolder(), release, "patched", "node_modules", "openclaw"),
        ),
        newFolder(),
        env,
      );
    expect(rewind(PLACE.thirdAnswer, "--files", "restore").data).toMatchObject({
      action: "rewound",
      files: { restored: ["standing.txt"], removed: ["created.txt"], conflicts: [] },
    });
    expect([read("standing.txt"), read("created.txt")]).toEqual(["stands\n", undefined]);
    expect(rewind("--undo").data).toMatchObject({ action: "rewound", files: { conflicts: [] } });
    expect([read("standing.txt"), read("created.txt")]).toEqual(["changed\n", "new\n"]);
    // The agent goes on from there, and its own return takes its change back.
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect([read("standing.txt"), read("created.txt")]).toEqual(["stands\n", undefined]);
  });
}

function takenBackAfterKill({ live, read, at, folder, start, turn }: SharedWorkspace): void {
  it("what a command wrote before OpenClaw was killed is the agent's, and is taken back too", async () => {
    const run = await start();
    live.provider.script({ kind: "tool", calls: [exec("echo half > half.txt; sleep 30")] });
    const killed = run.send("go on");
    while (read("half.txt") !== "half\n") await sleep(20);
    live.openclaw.kill();
    expect(await killed).toMatchObject({ answered: false });
    await turn(run, [write("next.txt", "next\n")]);
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect(readdirSync(folder())).toEqual(["standing.txt"]);
  });

  it("a workspace that goes back to empty is not taken for one that vanished", async () => {
    rmSync(at("standing.txt"));
    const run = await start();
    await turn(run, [write("only.txt", "only\n")]);
    await turn(run, [exec("true")]);
    await turn(run, [back(PLACE.thirdAnswer)]);
    expect(readdirSync(folder())).toEqual([]);
    await turn(run, [exec("true")]);
  });
}

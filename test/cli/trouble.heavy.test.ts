/** Every command on a state directory that the system does not let it use: a sentence, never a stack. */
import { spawnSync } from "node:child_process";
import { cpSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { transcriptPath } from "../../harness/corpus/case.ts";
import { newFolder } from "../../harness/temporary.ts";
import { userEnvironment } from "./fixture.ts";

const COMMANDS = [
  ...["list", "scan", "show one", "doctor", "doctor --html out.html", "repair one", "repair --all", "restore none"].map(
    (command) => `sessions ${command}`,
  ),
  ...["list", "show 1"].map((command) => `checkpoints ${command}`),
  ...["show one", "graph one", "log one", "mark one here", "unmark one here", "rewind one turn:-1"].map(
    (command) => `timeline ${command}`,
  ),
  "timeline reindex",
  ...["status", "status --html page.html", "next", "history", "export", "resolve", "verify"].map(
    (command) => `continuity ${command}`,
  ),
  "continuity goal create text --new --project p",
  "continuity task add --title-file nowhere",
  "continuity task start 1234",
  "plugin status",
  "plugin install --yes",
  "plugin uninstall --yes",
  "setup --yes",
  "setup --undo --yes",
  "status",
  "verify",
  "explain",
  "apply",
  "revert",
  "prove",
  "write-patches out",
  "service install",
  "purge one",
  "purge --list",
];

interface Trouble {
  /** Shell code before the command, in a mount namespace of its own; $STATE is the state directory. */
  readonly shell: string;
  /** A command that has to name this trouble, and in which words. */
  readonly words: readonly [command: string, RegExp];
}

const isRoot = process.getuid?.() === 0 && process.platform === "linux";
const TROUBLES: Readonly<Record<string, Trouble>> = {
  "a read-only file system": {
    shell: 'mount --bind "$STATE" "$STATE" && mount -o remount,bind,ro "$STATE"',
    words: ["sessions repair one", /a disk that can only be read \(EROFS\)\. Mount it writable/],
  },
  "a full disk": {
    shell:
      'mount -t tmpfs -o size=64k tmpfs "$STATE" && cp -r "$COPY"/. "$STATE"; head -c 99k /dev/zero >"$STATE/x" 2>&-',
    words: ["sessions repair one", /no space left on the disk \(ENOSPC\)\. Free some space/],
  },
  "no more open files": { shell: "ulimit -n 24", words: ["sessions list", /^/] },
  "a file in its place": { shell: "STATE=$STATE/openclaw.json", words: ["sessions list", /a file/] },
  "a current folder that was deleted": {
    shell: 'mkdir "$HOME/gone" && cd "$HOME/gone" && rmdir "$HOME/gone"',
    words: ["status", /expected .*folder/],
  },
  "folders where its databases would be": {
    shell: 'for name in "" -timeline -sessions; do mkdir "$STATE/openclaw-integrity$name.sqlite"; done',
    words: ["checkpoints list", /found a directory\. Move the directory away/],
  },
};

test.skipIf(!isRoot).each(Object.entries(TROUBLES))("%s", (_, { shell, words: [named, words] }) => {
  const home = newFolder();
  const copy = join(home, "copy");
  const sessions = join(copy, "agents", "main", "sessions");
  mkdirSync(sessions, { recursive: true });
  cpSync(transcriptPath("a-first-message-is-a-result"), join(sessions, "one.jsonl"));
  writeFileSync(join(copy, "openclaw.json"), "{}");
  const faults: string[] = [];
  for (const command of COMMANDS) {
    const state = join(newFolder(), "state");
    cpSync(copy, state, { recursive: true });
    const script = `${shell}; export OPENCLAW_STATE_DIR="$STATE"; exec "$NODE" "$MAIN" ${command}`;
    const env = { ...userEnvironment(home), STATE: state, COPY: copy, NODE: process.execPath, MAIN };
    const { status, stdout, stderr } = spawnSync("unshare", ["--mount", "bash", "-c", script], {
      cwd: state,
      env,
      encoding: "utf8",
    });
    const shown = `${command} (${status}): ${stdout}${stderr}`;
    if (status === null || status > 3 || /^\s+at .*:\d+:\d+|this is a bug|\bundefined\b|\/proc\/self/m.test(shown))
      faults.push(shown);
    if (status !== 0 && !/expected|fault/.test(shown)) faults.push(`says not what it expected: ${shown}`);
    if (command === named && !words.test(stdout + stderr)) faults.push(`says not what it found: ${shown}`);
  }
  expect(faults).toEqual([]);
});

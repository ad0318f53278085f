import { chmodSync, chownSync, cpSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { MAIN } from "../../harness/command.ts";
import { NOBODY, reachable, runAsNobody } from "../../harness/nobody.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { says, user } from "../../harness/openclaw/samples.ts";
import { newSessionFiles, userEnvironment } from "./fixture.ts";

/** A state directory that nobody can look into, at different depths. */
const CLOSED: Readonly<Record<string, (state: string) => string>> = {
  "the state directory": (state) => state,
  "the folder of the agents": (state) => join(state, "agents"),
  "the folder of an agent": (state) => join(state, "agents", "main"),
  "the folder of the transcripts": (state) => join(state, "agents", "main", "sessions"),
  "a transcript": (state) => join(state, "agents", "main", "sessions", "one.jsonl"),
};

// Permissions do not bind root, so root runs the command as another user.
describe.skipIf(process.getuid?.() !== 0)("for a user who may not read OpenClaw's state", () => {
  let folder: string;
  let state: string;
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), "other-user-"));
    chmodSync(folder, 0o755);
    state = join(folder, "state");
    const made = newSessionFiles();
    writeFileSync(join(made.folder, "one.jsonl"), toTranscript([user("go"), says("yes")]));
    cpSync(made.stateDir, state, { recursive: true });
    mkdirSync(join(folder, "home"));
    chownSync(join(folder, "home"), NOBODY, NOBODY);
  });
  afterEach(() => rmSync(folder, { recursive: true }));

  const run = (...args: string[]) => {
    const env = { ...userEnvironment(join(folder, "home")), OPENCLAW_STATE_DIR: state };
    return runAsNobody([reachable(MAIN), ...args], { cwd: dirname(folder), env });
  };

  test.each(Object.keys(CLOSED))(
    "%s: a sentence and an exit code that is not 0, never a stack and never 'no sessions'",
    (name) => {
      chmodSync(CLOSED[name]!(state), 0o700);
      // What belongs to root and is closed for others, below folders that are open.
      for (const args of [["list"], ["scan"], ["doctor"], ["repair", "--all"], ["repair", "one"], ["show", "one"]]) {
        // The list reads no transcript.
        if (name === "a transcript" && args[0] === "list") continue;
        chmodSync(CLOSED[name]!(state), 0o700);
        const { status, stdout, stderr } = run("sessions", ...args);
        expect({ args, status, stdout, stderr }).toMatchObject({
          status: expect.toSatisfy((code) => code === 1 || code === 3),
        });
        expect(stdout + stderr).toMatch(/permission/);
        expect(stdout + stderr).not.toMatch(
          /^\s+at .*:\d+:\d+|this is a bug|no sessions in|There are no sessions|no session has faults/m,
        );
      }
    },
  );
});

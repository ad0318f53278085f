/** What a settled turn leaves in our files. */
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { setTimeout as sleep } from "node:timers/promises";
import { afterEach, expect, it } from "vitest";
import { toTranscript } from "../../harness/openclaw/index.ts";
import { startLive, type Live } from "../../harness/openclaw/live.ts";
import { filesBelow, wordsInOurFiles } from "./bytes.ts";

const SAID = "the-users-words-are-quokka";
const ASKED = "the-tools-input-is-pangolin";
const FOUND = "the-tools-result-is-okapi";
const WORDS = [SAID, ASKED, FOUND];
/** What is settled goes when the run is over, a moment later. */
const PATIENCE_MS = 10_000;

let live: Live | undefined;
afterEach(async () => {
  await live?.close();
  live = undefined;
});

/** Behind a turn of a patched release. */
export function settles(release: string): void {
  // While it runs: what closes the journal would tidy it up too.
  it(`when OpenClaw ${release} has answered no file of ours holds a word of the turn, its pages that were freed and its write-ahead log included`, async () => {
    live = await startLive(release);
    const { openclaw, provider } = live;
    const file = join(openclaw.stateDir, "..", "workspace", `${ASKED}.txt`);
    writeFileSync(file, `${FOUND} ${"and more of it. ".repeat(200)}`);
    provider.script({
      kind: "tool",
      calls: [
        { name: "read", arguments: { path: file } },
        { name: "read", arguments: { path: `${file}.missing` } },
      ],
    });
    const run = await openclaw.run({
      transcript: toTranscript([]),
      api: "anthropic-messages",
      messages: [`${SAID} ${"at some length. ".repeat(100)}`],
    });
    expect(run.turns).toMatchObject([{ answered: true }]);
    expect(provider.requests.at(-1)?.raw).toContain(FOUND);
    expect(filesBelow(openclaw.stateDir).filter((name) => name.includes("openclaw-integrity.sqlite"))).not.toEqual([]);
    const end = Date.now() + PATIENCE_MS;
    while (wordsInOurFiles(openclaw.stateDir, WORDS).length > 0 && Date.now() < end) await sleep(100);
    expect(wordsInOurFiles(openclaw.stateDir, WORDS)).toEqual([]);
    // OpenClaw's own copy is where it was.
    expect(JSON.stringify(await run.readTranscript())).toContain(SAID);
  });
}

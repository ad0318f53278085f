import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { BASE_RELEASES, releasesFolder } from "../../harness/openclaw/releases.ts";
import { SUBSTITUTES } from "./invented.ts";

/** Results of OpenClaw's own that are true: of a message that was delivered, and of a call that was passed over. */
const TRUE = new Set(["Message delivered before gateway restart.", "Skipped due to queued user message."]);

/** The folders with the code of OpenClaw and, in early releases, of its agent core. */
const CODE = ["openclaw/dist", "@mariozechner/pi-ai/dist", "@mariozechner/pi-agent-core/dist"];

function* readCode(release: string): Generator<string> {
  for (const folder of CODE.map((name) => join(releasesFolder(), release, "stock", "node_modules", name))) {
    let files: string[] = [];
    try {
      files = readdirSync(folder, { recursive: true, encoding: "utf8" });
    } catch {
      // Later releases have no agent core of their own.
    }
    for (const file of files)
      if (/\.m?js$/.test(file) && !file.startsWith("control-ui")) yield readFileSync(join(folder, file), "utf8");
  }
}

it.each(BASE_RELEASES)("the table has every text that OpenClaw %s writes in place of a missing result", (release) => {
  const known = SUBSTITUTES.filter(({ releases: [first, last] }) => isWithin(release, first, last)).map(
    ({ text }) => text,
  );
  const found = new Set<string>();
  for (const code of readCode(release)) {
    for (const text of known) if (code.includes(`"${text}"`)) found.add(text);
    // A message with the role of a result and a text that is no variable.
    for (const [, text] of code.matchAll(/role: ?"toolResult",[^}]{0,300}?text: ?(?:[\w.]+ \?\? ?)?"([^"]{1,200})"/g))
      if (!TRUE.has(text!)) found.add(text!);
  }
  expect([...found].toSorted()).toEqual(known.toSorted());
});

function isWithin(release: string, first: string, last: string): boolean {
  const [one, from, to] = [release, first, last].map((name) => name.split(".").map(Number));
  return compare(from!, one!) <= 0 && compare(one!, to!) <= 0;
}

function compare(one: readonly number[], other: readonly number[]): number {
  const at = one.findIndex((number, index) => number !== other[index]);
  return at < 0 ? 0 : one[at]! - other[at]!;
}

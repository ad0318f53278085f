import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { readGroups, readPeers } from "./figures.ts";
import { panes } from "./panes.ts";
import { pictures, RECORDING, repositoryFile } from "./pictures.ts";
import { findRecording, type Recording } from "./recording.ts";
import { escapeXml } from "./svg.ts";

const RECORDED = JSON.parse(readFileSync(repositoryFile(RECORDING), "utf8")) as Recording;

/** The words of a picture, in order. */
function pictureWords(picture: string): string {
  return [...picture.matchAll(/<text[^>]*>([^<]*)<\/text>/g)].map(([, words]) => words).join(" ");
}

test("the committed pictures are made from the recording and the results", () => {
  const changed = Object.entries(pictures()).filter(
    ([file, content]) => readFileSync(repositoryFile(file), "utf8") !== content,
  );
  expect(changed.map(([file]) => file)).toEqual([]);
});

test.each(["light", "dark"] as const)("the %s picture has the provider's words and the answers", (theme) => {
  const words = pictureWords(panes(RECORDED, theme));
  expect(words).toContain(`${RECORDED.stock.refused!.status} ${RECORDED.stock.refused!.error}`);
  for (const answer of RECORDED.patched.answers) expect(words).toContain(answer);
  expect(words).toMatch(/no message gets an answer.* ✓ answered, with the whole history/);
});

test("on a phone every letter is as large as in a text, and no word runs out of the picture", () => {
  const phones = Object.entries(pictures()).filter(([file]) => file.endsWith("-phone.svg"));
  expect(phones).toHaveLength(4);
  for (const [file, picture] of phones) {
    const width = Number(/ width="(\d+)"/.exec(picture)![1]);
    // A page of a phone with 390 pixels leaves 358 to a picture.
    for (const [, size] of picture.matchAll(/font-size="(\d+)"/g))
      expect((Number(size) * 358) / width, file).toBeGreaterThan(11);
    for (const [, x, size, words] of picture.matchAll(/<text x="(\d+)"[^>]*font-size="(\d+)"[^>]*>([^<]*)/g))
      expect(Number(x) === width - 16 || Number(x) + words!.length * Number(size) * 0.62 < width, words).toBe(true);
  }
});

test("claims nothing that was not recorded", () => {
  const failed = panes({ ...RECORDED, patched: RECORDED.stock }, "light");
  expect(pictureWords(failed)).not.toContain("✓");
  const lossy = panes({ ...RECORDED, patched: { ...RECORDED.patched, isWhole: false } }, "light");
  expect(pictureWords(lossy)).not.toContain("whole");
});

test("no words of a recording act in the picture, and none run out of their pane", () => {
  const hostile = `</text><script>alert("1")</script>&amp;\u0000\ud800 ${"x".repeat(300)}`;
  const side = { ...RECORDED.stock, refused: { status: 400, error: hostile } };
  const picture = panes({ ...RECORDED, stock: side }, "light");
  for (const acting of ["<script", "\u0000", "\ud800"]) expect(picture).not.toContain(acting);
  expect(pictureWords(picture)).toContain("&lt;/text&gt;&lt;script&gt;");
  const longest = Math.max(
    ...[...picture.matchAll(/class="m">([^<]*)</g)].map(([, words]) => words!.replaceAll(/&\w+;/g, "&").length),
  );
  expect(longest).toBeLessThan(40);
  expect(escapeXml('a<b>&"c"')).toBe("a&lt;b&gt;&amp;&quot;c&quot;");
});

test("takes one case out of a report, and refuses one without it", () => {
  const run = {
    case: "a",
    api: "chat",
    turns: [{ answered: true, text: "ok" }],
    requests: [{ status: 200 }],
    healed: [],
    lost: [],
  };
  const runs = ["stock", "patched"].map((variant) => ({ ...run, variant }));
  const recording = findRecording({ releases: [{ release: "1", runs }] }, "1", "a");
  expect(recording.patched).toEqual({ answers: ["ok"], refused: null, isWhole: true });
  expect(() => findRecording({ releases: [{ release: "1", runs: runs.slice(1) }] }, "1", "a")).toThrow(
    /found 1 such runs/,
  );
  expect(() => findRecording({}, "1", "a")).toThrow(/npm start -- --release 1 --json report\.json/);
});

test("reads the figures of results/, and refuses a page without them", () => {
  const [corpus, disk] = ["corpus", "disk-repair"].map((name) =>
    readFileSync(repositoryFile(`results/${name}.md`), "utf8"),
  );
  const bars = readGroups(corpus!, disk!).flatMap((group) => group.bars);
  expect(bars).toHaveLength(9);
  for (const { runs, bricked, partly } of bars) expect(bricked + partly).toBeLessThanOrEqual(runs);
  expect(bars[0]!.bricked).toBeGreaterThan(bars[2]!.bricked);
  expect(() => readGroups("", disk!)).toThrow(/expected the figures of stock 2026\.2\.3 in results\/corpus\.md/);
  expect(() => readGroups(corpus!, "")).toThrow(/expected the row "2026\.2\.3, as stored"/);
});

test("reads what other projects' repairs make of the corpus, and refuses a page without one of them", () => {
  const page = readFileSync(repositoryFile("results/bench-peers.md"), "utf8");
  const { bars } = readPeers(page);
  expect(new Set(bars.map(({ runs }) => runs)).size).toBe(1);
  expect(bars[0]).toMatchObject({ label: "this project", bricked: 0, partly: 0 });
  expect(() => readPeers(page.replace("ours: healingFetch", "theirs"))).toThrow(
    /expected the row "ours: healingFetch"/,
  );
});

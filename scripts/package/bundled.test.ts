/** What a page loads that bundles the healing fetch: half of its code, and the other half where a provider refuses. */
import { execFile } from "node:child_process";
import { mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { gzipSync } from "node:zlib";
import { rolldown } from "rolldown";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { noToolBlocksAtAll, startProvider, type StrictProvider } from "../../harness/providers/index.ts";
import { newFolder } from "../../harness/temporary.ts";
import { ROOT } from "./install.ts";

const MESSAGES = [
  { role: "user", content: "Pay invoice 17." },
  { role: "assistant", content: [{ type: "tool_use", id: "toolu_1", name: "pay", input: {} }] },
  { role: "user", content: [{ type: "tool_result", tool_use_id: "toolu_1", content: "AX71" }] },
];

let provider: StrictProvider;
beforeAll(async () => void (provider = await startProvider()));
beforeEach(() => provider.reset());
afterAll(() => provider.close());

/** A project in which the package is installed. */
function makeProject(): string {
  const folder = newFolder();
  mkdirSync(join(folder, "node_modules"));
  symlinkSync(ROOT, join(folder, "node_modules", "openclaw-integrity"), "junction");
  return folder;
}

interface Bundle {
  /** The file that the program begins with. */
  readonly entry: string;
  /** What is loaded later. */
  readonly later: readonly string[];
  /** How many bytes of it come first, and later, as servers send them. */
  readonly first: number;
  readonly second: number;
}

/** Bundles the healing fetch alone, for pages. */
async function bundle(codeSplitting = true): Promise<Bundle> {
  const folder = makeProject();
  const input = join(folder, "page.mjs");
  writeFileSync(input, 'export { healingFetch } from "openclaw-integrity/fetch";\n');
  const built = await rolldown({ input, platform: "browser" });
  const dir = join(folder, "page");
  const { output } = await built.write({ dir, minify: true, codeSplitting, entryFileNames: "[name].mjs" });
  await built.close();
  const chunks = output.filter((part) => part.type === "chunk");
  const firsts = new Set(["page.mjs"]);
  // A set that grows while it is walked is walked to its new end.
  for (const name of firsts)
    for (const next of chunks.find(({ fileName }) => fileName === name)!.imports) firsts.add(next);
  const sum = (isFirst: boolean): number =>
    chunks.reduce((all, { fileName, code }) => all + (firsts.has(fileName) === isFirst ? gzipSync(code).length : 0), 0);
  const later = chunks.filter(({ fileName }) => !firsts.has(fileName)).map(({ fileName }) => join(dir, fileName));
  return { entry: join(dir, "page.mjs"), later, first: sum(true), second: sum(false) };
}

/** Has a program make a request; what it prints: the status and the text that it gets. */
async function run(
  load: string,
  { before = "", options = "", signal = "undefined", messages = MESSAGES } = {},
): Promise<string> {
  const cwd = makeProject();
  const file = join(cwd, "program.mjs");
  const body = JSON.stringify({ model: "m", max_tokens: 9, messages });
  writeFileSync(
    file,
    `import { createRequire } from "node:module";
     const require = createRequire(import.meta.url);
     const stop = new AbortController();
     ${before}
     const { healingFetch } = ${load};
     const heal = healingFetch({ ${options} });
     const init = { method: "POST", body: ${JSON.stringify(body)}, signal: ${signal} };
     const response = await heal("${provider.url}/v1/messages", init);
     console.log(response.status, await response.text().catch((error) => error.message));`,
  );
  const { stdout } = await promisify(execFile)(process.execPath, [file], { cwd });
  return stdout.trim();
}

const importing = (entry: string): string => `await import(${JSON.stringify(entry)})`;

describe("a page that bundles the healing fetch", () => {
  it("has less than 40 kB of it at first, as servers send it, and what it does with a refusal later", async () => {
    const { first, second, later } = await bundle();
    // Some bundlers make 4 % more of it.
    expect(first).toBeLessThan(38_500);
    expect(later).toHaveLength(1);
    expect(second).toBeGreaterThan(20_000);
  });

  it("gets an answer of a provider that has refused", async () => {
    provider.enforce(noToolBlocksAtAll());
    expect(await run(importing((await bundle()).entry))).toMatch(/^200 /);
    expect(provider.requests).toHaveLength(2);
  });

  it("gets it in one file too", async () => {
    provider.enforce(noToolBlocksAtAll());
    const { entry, later } = await bundle(false);
    expect(later).toEqual([]);
    expect(await run(importing(entry))).toMatch(/^200 /);
  });

  it.each([
    ["imports", 'await import("openclaw-integrity/fetch")'],
    ["requires", 'require("openclaw-integrity/fetch")'],
  ])("as a program does that %s the package", async (_how, load) => {
    provider.enforce(noToolBlocksAtAll());
    expect(await run(load)).toMatch(/^200 /);
    expect(provider.requests).toHaveLength(2);
  });
});

describe("where the later half does not come", () => {
  const REFUSED = /^400 .*"type":"error"/;
  const HANGING = "await new Promise(() => {});";

  it("an answer is an answer, and a refusal is the provider's own", async () => {
    const { entry, later } = await bundle();
    rmSync(later[0]!);
    expect(await run(importing(entry))).toMatch(/^200 /);
    provider.reset();
    provider.enforce(noToolBlocksAtAll());
    expect(await run(importing(entry))).toMatch(REFUSED);
    expect(provider.requests).toHaveLength(1);
  });

  it("a request is healed, without what is recorded", async () => {
    const { entry, later } = await bundle();
    rmSync(later[0]!);
    const before = `const { ConversationJournal, openJournal } = require("openclaw-integrity/journal");`;
    const options = 'journal: new ConversationJournal(openJournal("agent.sqlite"), "chat")';
    expect(await run(importing(entry), { before, options, messages: MESSAGES.slice(0, 2) })).toMatch(/^200 /);
    expect(provider.requests).toHaveLength(1);
  });

  it("a refusal waits so long, and no longer", async () => {
    provider.enforce(noToolBlocksAtAll());
    const { entry, later } = await bundle();
    writeFileSync(later[0]!, HANGING);
    const before =
      "const real = setTimeout; globalThis.setTimeout = (work, ms, ...all) => real(work, ms === 10_000 ? 500 : ms, ...all);";
    expect(await run(importing(entry), { before })).toMatch(REFUSED);
  });

  it("a program that stops it is not kept waiting", async () => {
    provider.enforce(noToolBlocksAtAll());
    const { entry, later } = await bundle();
    writeFileSync(later[0]!, HANGING);
    // Without the stop, this program would never come to its end.
    const before =
      "const real = setTimeout; globalThis.setTimeout = (work, ms, ...all) => (ms === 10_000 ? 0 : real(work, ms, ...all));";
    const options =
      "fetch: async (...all) => { const got = await fetch(...all); real(() => stop.abort(), 200); return got; }";
    expect(await run(importing(entry), { before, options, signal: "stop.signal" })).toMatch(/^400 /);
    expect(provider.requests).toHaveLength(1);
  });
});

it("names what the halves share by words: after an update under a running program, letters would be other functions", () => {
  const dist = (file: string): string => readFileSync(join(ROOT, "dist", file), "utf8");
  const imported = [...dist("model-call.mjs").matchAll(/import\{([^}]+)\}/g)].flatMap(([, names]) => names!.split(","));
  const required = [...dist("heal.cjs").matchAll(/\(exports,"(\w+)"/g)].map(([, name]) => name!);
  for (const names of [imported.map((name) => name.split(" as ")[0]!), required]) {
    expect(names.length).toBeGreaterThan(20);
    expect(names.filter((name) => name.length < 3)).toEqual([]);
  }
});

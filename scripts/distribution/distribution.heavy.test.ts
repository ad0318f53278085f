/** The distribution of the latest release, built by the command, installed by npm, and used. */
import { execFile } from "node:child_process";
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { list } from "tar";
import { beforeAll, expect, test } from "vitest";
import { newFolder } from "../../harness/temporary.ts";
import type { Distribution } from "./build.ts";
import type { Manifest } from "./manifest.ts";
import { ensureTarball, computeIntegrity } from "../../harness/tarballs.ts";
import { revert, verify } from "../../src/patching/apply.ts";
import { sha256 } from "../../src/patching/base/hash.ts";
import { runNpm } from "../../harness/npm.ts";
import { LATEST } from "../../src/patching/base/releases.ts";
import { loadCorpus, transcriptPath } from "../../harness/corpus/case.ts";
import { openGateway } from "../../harness/gateway/index.ts";
import { startOpenClaw } from "../../harness/openclaw/index.ts";
import { startProvider } from "../../harness/providers/index.ts";

const scripts = (file: string): string => fileURLToPath(new URL(`../../scripts/${file}`, import.meta.url));
const run = promisify(execFile);

const work = newFolder();
const prefix = join(work, "prefix");
const root = join(prefix, "lib", "node_modules", "openclaw");
const launcher = join(prefix, "bin", "openclaw");
const name = `openclaw-${LATEST}-integrity.7.tgz`;
const tarball = join(work, "one", name);
let said = "";
let other: Distribution;

/** In another folder, time zone and language, by someone whose files nobody else may read. */
async function buildElsewhere(): Promise<Distribution> {
  const options = JSON.stringify({ release: LATEST, number: 7, out: join(work, "two"), compression: 1 });
  const code =
    `process.umask(0o077); const { buildDistribution } = await import(${JSON.stringify(pathToFileURL(scripts("distribution/build.ts")))}); ` +
    `console.log(JSON.stringify(await buildDistribution(${options})));`;
  const env = { ...process.env, TZ: "Pacific/Auckland", LANG: "tr_TR.UTF-8", LC_ALL: "tr_TR.UTF-8" };
  const { stdout } = await run(process.execPath, ["--input-type=module", "-e", code], { cwd: work, env });
  return JSON.parse(stdout) as Distribution;
}

beforeAll(async () => {
  const one = run(process.execPath, [
    scripts("distribution/main.ts"),
    "--number",
    "7",
    "--out",
    join(work, "one"),
    "--compression",
    "1",
  ]);
  const [{ stdout }, second] = await Promise.all([one, buildElsewhere()]);
  said = stdout;
  other = second;
  mkdirSync(prefix);
  // Without scripts, and then the one that could do harm to what was added.
  await runNpm(work, [
    "install",
    "--global",
    "--prefix",
    prefix,
    "--ignore-scripts",
    "--prefer-offline",
    "--no-audit",
    "--no-fund",
    "--loglevel=error",
    tarball,
  ]);
  await run(process.execPath, [join(root, "scripts", "postinstall-bundled-plugins.mjs")]);
}, 600_000);

interface Entry {
  readonly mode: number;
  readonly sha256: string;
}

async function readTar(path: string): Promise<ReadonlyMap<string, Entry>> {
  const entries = new Map<string, Entry>();
  await list({
    file: path,
    onReadEntry: (entry) => {
      const hash = createHash("sha256");
      entry.on("data", (bytes: Buffer) => hash.update(bytes));
      entry.on("end", () =>
        entries.set(entry.path.replace(/^package\//, ""), {
          mode: (entry.mode ?? 0) & 0o111,
          sha256: hash.digest("hex"),
        }),
      );
    },
  });
  return entries;
}

test("two builds that have nothing but the checkout in common differ in no byte", async () => {
  expect(await computeIntegrity(other.path)).toBe(await computeIntegrity(tarball));
  expect(said).toContain(sha256(readFileSync(tarball)));
  expect(said).toContain(other.sha256);
});

test("the command says how to install it and how to go back", () => {
  expect(said).toContain(`npm install -g ${tarball}`);
  expect(said).toContain(`npm install -g openclaw@${LATEST}`);
});

test("what differs from the published package is what the manifest lists, and nothing else", async () => {
  const published = await ensureTarball(LATEST);
  const [before, after] = await Promise.all([readTar(published.path), readTar(tarball)]);
  const manifest = JSON.parse(readFileSync(join(root, "INTEGRITY-MANIFEST.json"), "utf8")) as Manifest;
  expect(manifest).toEqual(other.manifest);
  expect(manifest).toMatchObject({
    name: "openclaw",
    release: LATEST,
    number: 7,
    upstream: { integrity: published.integrity },
  });
  const differing = [...after].filter(
    ([file, { sha256: hash }]) => file !== "INTEGRITY-MANIFEST.json" && before.get(file)?.sha256 !== hash,
  );
  expect(manifest.files.map((one) => [one.file, one.sha256.before, one.sha256.after])).toEqual(
    differing.map(([file, one]) => [file, before.get(file)?.sha256 ?? null, one.sha256]),
  );
  expect([...before.keys()].filter((file) => !after.has(file))).toEqual([]);
  expect([...before].filter(([file, { mode }]) => after.get(file)?.mode !== mode)).toEqual([]);
  const placed = manifest.files.flatMap(({ points }) => points);
  for (const [point, copies] of Object.entries(manifest.points))
    expect([point, placed.filter((one) => one === point).length]).toEqual([point, copies]);
  expect(placed.length).toBeGreaterThan(0);
});

test("npm installs it under OpenClaw's name, with both licences, and OpenClaw's own clean-up leaves everything there", () => {
  const installed = JSON.parse(readFileSync(join(root, "package.json"), "utf8")) as {
    readonly name: string;
    readonly version: string;
    readonly files: readonly string[];
  };
  expect(installed).toMatchObject({ name: "openclaw", version: LATEST });
  for (const {
    file,
    sha256: { after },
  } of other.manifest.files)
    expect([file, sha256(readFileSync(join(root, file)))]).toEqual([file, after]);
  for (const file of [
    "LICENSE",
    "LICENSE.openclaw-integrity",
    "THIRD_PARTY_NOTICES.openclaw-integrity",
    "dist/extensions/clawos-l0/THIRD_PARTY_NOTICES",
    "INTEGRITY-MANIFEST.json",
  ])
    expect([file, existsSync(join(root, file))]).toEqual([file, true]);
  expect(installed.files).toEqual(
    expect.arrayContaining([
      "LICENSE.openclaw-integrity",
      "THIRD_PARTY_NOTICES.openclaw-integrity",
      "INTEGRITY-MANIFEST.json",
    ]),
  );
  expect(verify(root).state).toBe("patched");
});

test("OpenClaw's own list of contents agrees with every file, or its update would refuse the package", () => {
  const entries = JSON.parse(readFileSync(join(root, "dist", "postinstall-content-inventory.json"), "utf8")) as {
    readonly path: string;
    readonly sha256: string;
  }[];
  expect(entries.length).toBeGreaterThan(10_000);
  expect(entries.filter(({ path, sha256: hash }) => sha256(readFileSync(join(root, path))) !== hash)).toEqual([]);
});

test("sessions that brick the published OpenClaw, as scripts/start/real.slow.test.ts shows, are answered by the installed one", async () => {
  // One that no provider takes, one that cannot be loaded.
  const cases = loadCorpus().filter(({ id }) => ["i-first-message-is-a-call", "l-no-header"].includes(id));
  expect(cases).toHaveLength(2);
  const provider = await startProvider();
  const openclaw = await startOpenClaw({
    root: join(prefix, "lib"),
    release: LATEST,
    providerUrl: provider.url,
    turnTimeoutMs: 60_000,
  });
  try {
    const seen: unknown[] = [];
    for (const { id, mustReach } of cases) {
      provider.reset();
      const { turns } = await openclaw.run({
        transcript: readFileSync(transcriptPath(id), "utf8"),
        api: "anthropic-messages",
        messages: ["first", "second"],
      });
      const sent = provider.requests.at(-1)?.raw ?? "";
      seen.push({
        id,
        answered: turns.map((turn) => turn.answered),
        lost: mustReach.filter((text) => !sent.includes(text)),
      });
    }
    expect(seen).toEqual(cases.map(({ id }) => ({ id, answered: [true, true], lost: [] })));
  } finally {
    await openclaw.close();
    await provider.close();
  }
});

test("the plugin is there and on without a word in the config", async () => {
  const provider = await startProvider();
  // An empty list allows all, as no list does.
  const gateway = await openGateway({
    root: join(prefix, "lib"),
    release: LATEST,
    providerUrl: provider.url,
    settings: { plugins: { allow: [] } },
    scopes: ["operator.read", "operator.write", "operator.admin"],
  });
  try {
    await gateway.start();
    expect((await gateway.send("agent:main:main", "/l0-status")).finalText).toMatch(
      /^Session integrity \(clawos-l0\)\nCore patch: active/,
    );
  } finally {
    await gateway.close();
    await provider.close();
  }
});

test("openclaw --version shows both versions, and only the release's once the patch is taken out", async () => {
  const version = async (): Promise<string> => (await run(process.execPath, [launcher, "--version"])).stdout;
  expect(await version()).toMatch(new RegExp(`^OpenClaw ${LATEST} \\([0-9a-f]{7}\\) openclaw-integrity\\.7\n$`));
  revert(root);
  expect(await version()).toMatch(new RegExp(`^OpenClaw ${LATEST} \\([0-9a-f]{7}\\)\n$`));
});

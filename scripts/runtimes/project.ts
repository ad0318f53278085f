import { spawnSync } from "node:child_process";
import { copyFileSync, existsSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { rolldown } from "rolldown";
import { installFrom, packInto } from "../package/install.ts";
import { installPinned } from "../pinned.ts";
import { makeCases } from "./cases.ts";
import type { Project } from "./runtimes.ts";

const BEGINNING = 'import cases from "./cases.mjs";\nimport { run } from "./program.mjs";\n';
const WHERE = 'new URL(location.href).searchParams.get("provider")';

/** How the program begins, by the kind of runtime. */
const ENTRIES = {
  "main.mjs": `${BEGINNING}console.log(JSON.stringify(await run(process.argv[2], cases)));\n`,
  "worker.mjs": `${BEGINNING}export default {
  async fetch(request) {
    try {
      return Response.json(await run(new URL(request.url).searchParams.get("provider"), cases));
    } catch (error) {
      return new Response(String(error.stack), { status: 500 });
    }
  },
};\n`,
  // Also what a Web Worker loads: there is nothing of a page in it.
  "page.mjs": `${BEGINNING}const report = (body) => fetch("/report", { method: "POST", body: JSON.stringify(body) });
run(${WHERE}, cases).then(report, (error) => report({ error: String(error.stack) }));\n`,
};

const PARTS = ["fetch", "transcript", "wire"];
const IMPORTS = Object.fromEntries(
  PARTS.map((part) => [`openclaw-integrity/${part}`, `/node_modules/openclaw-integrity/dist/${part}.mjs`]),
);
/** A module that does not load rejects nothing that the program could report. */
const FAILING = `<script>
  const tell = (error) => fetch("/report", { method: "POST", body: JSON.stringify({ error }) });
  addEventListener("error", ({ message }) => tell(String(message)), true);
</script>`;

const PAGES = {
  "modules.html": `${FAILING}<script type="importmap">${JSON.stringify({ imports: IMPORTS })}</script>
<script type="module" src="/page.mjs"></script>`,
  "bundle.html": `${FAILING}<script type="module" src="/page.rolldown.mjs"></script>`,
  "worker.html": `${FAILING}<script>
  const worker = new Worker("/page.bundle.mjs" + location.search, { type: "module" });
  worker.onerror = ({ message }) => tell("the worker: " + message);
</script>`,
};

/** Packs and installs the library into a new folder as a user does; the program, its cases and bundles lie beside. */
export async function makeProject(outer: string): Promise<Project> {
  const folder = join(outer, "project");
  installFrom(packInto(join(outer, "packed")), folder);
  copyFileSync(join(import.meta.dirname, "program.mjs"), join(folder, "program.mjs"));
  writeFileSync(join(folder, "cases.mjs"), `export default ${JSON.stringify(makeCases())};\n`);
  for (const [name, text] of Object.entries({ ...ENTRIES, ...PAGES })) writeFileSync(join(folder, name), text);
  const tools = await installPinned("runtimes", import.meta.dirname);
  const bundler = join(tools ?? "", "node_modules/@esbuild/linux-x64/bin/esbuild");
  if (existsSync(bundler)) {
    bundleWithEsbuild(bundler, folder, ["worker.mjs", "worker.bundle.mjs", "--conditions=workerd,worker,browser"]);
    bundleWithEsbuild(bundler, folder, ["page.mjs", "page.bundle.mjs", "--platform=browser"]);
  }
  const bundle = await rolldown({ cwd: folder, input: "page.mjs", platform: "browser" });
  await bundle.write({ file: join(folder, "page.rolldown.mjs"), codeSplitting: false, format: "esm", minify: true });
  return { folder, tools };
}

function bundleWithEsbuild(program: string, cwd: string, [entry, to, ...more]: readonly string[]): void {
  const args = [entry!, "--bundle", "--minify", "--format=esm", `--outfile=${to}`, "--log-level=warning", ...more];
  const { status, stderr } = spawnSync(program, args, { cwd, encoding: "utf8" });
  if (status !== 0) throw new Error(`esbuild ${entry}: ${stderr}`);
}

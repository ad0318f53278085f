/**
 * Threads and processes that OpenClaw starts without the options of its own process have no hook, so what they load must
 * be none of the files that are patched.
 */
import { readdirSync, readFileSync } from "node:fs";
import { isBuiltin } from "node:module";
import { join, posix } from "node:path";
import { describe, expect, test } from "vitest";
import { ensureRelease } from "../../harness/openclaw/ensure-release.ts";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import type { Release } from "../../src/patching/base/releases.ts";
import { plan } from "../../src/patching/plan.ts";
import {
  asNode,
  asNodes,
  memberPath,
  type Node,
  objectParts,
  parseModule,
  walkTo,
} from "../../src/patching/source/ast.ts";

const STARTS = /(?:new Worker|createCpuTrackedWorker)\(/g;
const LOADS = /(?:\bfrom|\bimport|\bimport\(|\brequire\()\s*["'`]([^"'`\n]+)["'`]/g;
/** Takes the options out of an environment. */
const CLEARS = /delete \w+(?:\.\w+)*\.NODE_OPTIONS|=> \w+\.toUpperCase\(\) !== "NODE_OPTIONS"|\^\(NODE_OPTIONS\|/g;
/**
 * OpenClaw's files that do so, of which it has been read what they start: a program of another maker, a thread of a text
 * that loads no file, and a launcher that gives the options to what it launches.
 */
const KNOWN_TO_CLEAR = ["anthropic/cli-transport.ts", "node-sqlite.mjs", "managed-windows-job.mts"];

/** A thread whose options are not those of the process. */
interface Start {
  readonly file: string;
  /** The text that it runs. */
  readonly text?: string;
  /** The file of dist that it runs. */
  readonly entry?: string;
}

/** The files of a release's dist by their path in it, without the cloud worker and the pages of the browser. */
function readDist(root: string): ReadonlyMap<string, string> {
  const dist = join(root, "dist");
  const names = readdirSync(dist, { recursive: true }) as string[];
  const scripts = names.filter((name) => /\.[cm]?js$/.test(name) && !/^(?:worker|control-ui)\//.test(name));
  return new Map(scripts.map((name) => [name, readFileSync(join(dist, name), "utf8")]));
}

function findMatches(text: string, pattern: RegExp): readonly RegExpExecArray[] {
  return [...text.matchAll(pattern)] as RegExpExecArray[];
}

/** The source file of OpenClaw around an offset of a bundle. */
function sourceAt(text: string, offset: number): string {
  const start = text.lastIndexOf("//#region ", offset);
  return start < 0 ? "" : text.slice(start + 10, text.indexOf("\n", start));
}

function findStarts(file: string, text: string, dist: ReadonlyMap<string, string>): readonly Start[] {
  const offsets = findMatches(text, STARTS).map(({ index }) => index);
  if (offsets.length === 0) return [];
  const module = parseModule(text);
  const starts: Start[] = [];
  walkTo(module, offsets, (node) => {
    const callee = memberPath(node["callee"]);
    if (callee !== "Worker" && callee !== "createCpuTrackedWorker") return;
    const [script, options] = asNodes(node["arguments"]);
    const given = asNode(options, "ObjectExpression");
    const { values } = given === undefined ? { values: new Map<string, Node>() } : objectParts(given);
    const environment = values.get("env");
    if (values.has("eval")) starts.push({ file, text: workerText(script, module) });
    else if (environment !== undefined && !/process\.env|resolveNodeCompileCacheEnv/.test(slice(text, environment)))
      starts.push({ file, entry: findEntryFile(slice(text, script), text, dist) });
  });
  return starts;
}

function slice(text: string, node: Node | undefined): string {
  return node === undefined ? "" : text.slice(node.start, node.end);
}

/** The text of a worker: a template, or a constant of the module that is one. */
function workerText(script: Node | undefined, module: Node): string {
  if (script?.type === "TemplateLiteral")
    return asNodes(script["quasis"])
      .map((part) => (part["value"] as { readonly raw: string }).raw)
      .join(" ");
  const name = memberPath(script);
  const constants = asNodes(module["body"]).flatMap((statement) => asNodes(statement["declarations"]));
  const found = constants.find((one) => memberPath(one["id"]) === name);
  if (found === undefined) throw new Error(`expected a text of the module as the worker; found ${script?.type}`);
  return workerText(asNode(found["init"]), module);
}

/** The file of a worker that is named in OpenClaw's table of entry points. */
function findEntryFile(script: string, text: string, dist: ReadonlyMap<string, string>): string {
  const assigned = new RegExp(`const ${script} = [^;]*runtimeProcessEntrypoints\\.(\\w+)\\)`).exec(text);
  for (const other of dist.values()) {
    const row = new RegExp(`\\b${assigned?.[1]}: \\{[^}]*distWorkerPath: "([^"]+)"`).exec(other);
    if (assigned !== null && row !== null) return row[1]!;
  }
  throw new Error(`expected a worker of the table of entry points; found ${script}`);
}

/** The files of dist that a file loads, by itself or by others. */
function loadedBy(entry: string, dist: ReadonlyMap<string, string>): ReadonlySet<string> {
  const seen = new Set<string>([entry]);
  for (const file of seen) {
    const text = dist.get(file);
    if (text === undefined) throw new Error(`expected ${file} in dist`);
    for (const [, specifier = ""] of findMatches(text, LOADS)) {
      const near = posix.join(posix.dirname(file), specifier);
      if (specifier.startsWith(".") && dist.has(near)) seen.add(near);
    }
  }
  return seen;
}

describe.each(BASE_RELEASES as Release[])("OpenClaw %s", (release) => {
  test("no thread that has no hook loads a file that is patched", async () => {
    const { stock } = await ensureRelease(release);
    const dist = readDist(stock);
    const patched = plan(stock).files.map(({ file }) => file.replace("dist/", ""));
    const starts = [...dist].flatMap(([file, text]) => findStarts(file, text, dist));
    for (const { file, text, entry } of starts) {
      const loaded = findMatches(text ?? "", LOADS).map(([, specifier = ""]) => specifier);
      expect({ file, loaded: loaded.filter((specifier) => !isBuiltin(specifier)) }).toEqual({ file, loaded: [] });
      const files = entry === undefined ? new Set<string>() : loadedBy(entry, dist);
      expect({ file, entry, files: patched.filter((one) => files.has(one)) }).toEqual({ file, entry, files: [] });
    }
    // That they are found at all: 2026.2.3 has no threads.
    expect(starts.map((start) => start.entry ?? "text").toSorted()).toEqual(
      release === "2026.2.3" ? [] : ["state/openclaw-state-lease-heartbeat.worker.js", "text", "text", "text"],
    );
    // That an entry's files are found at all: this worker of OpenClaw inherits the options, and is patched.
    if (release === "2026.9.6") {
      const inherits = loadedBy("config/sessions/session-transcript-reconcile.worker.js", dist);
      expect(patched.some((file) => inherits.has(file))).toBe(true);
    }
  });

  test("no process is started without the options but those that were looked at", async () => {
    const { stock } = await ensureRelease(release);
    const clearing = [...readDist(stock).values()].flatMap((text) =>
      findMatches(text, CLEARS).map(({ index }) => sourceAt(text, index)),
    );
    expect(clearing.filter((source) => !KNOWN_TO_CLEAR.some((known) => source.endsWith(known)))).toEqual([]);
  });
});

/**
 * Loaded into OpenClaw's process before anything else (`node --import`): counts what a turn does to files, to SQLite and
 * to other processes, and kills the process with SIGKILL right behind the step that its message names.
 */
import childProcess from "node:child_process";
import fs from "node:fs";
import { syncBuiltinESMExports } from "node:module";
import { isMainThread } from "node:worker_threads";
import { keepCompiled, Report, stand, standBeforeStatements, type Method } from "../travel-chaos/stand-in.ts";
import { placeIn, STEPS_FILE, type Place, type Step } from "./steps.ts";

const CHANGING = ["copyFileSync", "linkSync", "renameSync", "rmSync", "truncateSync", "unlinkSync", "writeFileSync"];
const CHANGING_LATER = ["appendFile", "copyFile", "link", "rename", "rm", "truncate", "unlink", "writeFile"];
const STARTING = ["spawn", "spawnSync", "execFile", "execFileSync"];
/** Statements that change nothing, and those after which a kill finds the state of before the transaction. */
const UNSEEN: ReadonlySet<string> = new Set(["SELECT", "PRAGMA", "WITH", "SAVEPOINT", "RELEASE"]);

const { appendFileSync } = fs;
const report = new Report(process.env[STEPS_FILE] ?? "");
let place: Place | undefined;
let [steps, isInTransaction, depth] = [0, false, 0];

/** Counts a step that is about to be taken. */
function begin(verb: string, isCut = false): void {
  const step: Step = { n: ++steps, verb, isCut };
  report.write(step);
}

function end(): void {
  if (place?.step === steps && place.part === "after") report.die(place);
}

function isStep(): boolean {
  return place !== undefined && !report.isWriting && depth === 0;
}

/** Does a step, or half of it where that can be and is the place; what it does within itself is no other one. */
function around(verb: string, work: () => unknown, half?: () => void): unknown {
  if (!isStep()) return work();
  begin(verb, half !== undefined);
  depth++;
  try {
    if (half && place!.step === steps && place!.part === "half") {
      half();
      report.die(place!);
    }
    return work();
  } finally {
    depth--;
    end();
  }
}

function aroundStatement(verb: string, _texts: readonly string[], work: () => unknown): unknown {
  if (verb === "BEGIN") isInTransaction = true;
  if (verb === "COMMIT" || verb === "ROLLBACK") isInTransaction = false;
  if (isInTransaction || UNSEEN.has(verb) || verb === "ROLLBACK") return work();
  return around(verb, work);
}

/** What the commands and the driver write down of the calls is none of OpenClaw's. */
function isOurs(path: unknown): boolean {
  return typeof path !== "string" || path.includes("/traces/");
}

/** Stands in front of functions that are each a step, but for the calls that are ours. */
function standBefore(holder: object, names: readonly string[], isNone: (path: unknown) => boolean): void {
  for (const name of names)
    stand(
      holder,
      name,
      (inner) =>
        function (this: unknown, ...values) {
          const work = (): unknown => inner.apply(this, values);
          return isNone(values[0]) ? work() : around(name, work);
        },
    );
}

function watchFiles(): void {
  standBefore(fs, CHANGING, isOurs);
  stand(
    fs,
    "appendFileSync",
    (inner) =>
      function (this: unknown, ...values) {
        const [file, text] = values;
        const work = (): unknown => inner.apply(this, values);
        if (isOurs(file) || typeof text !== "string") return work();
        const bytes = Buffer.from(text);
        return around("appendFileSync", work, () => appendFileSync(String(file), bytes.subarray(0, bytes.length >> 1)));
      },
  );
  for (const name of CHANGING_LATER)
    stand(
      fs.promises,
      name,
      (inner) =>
        async function (this: unknown, ...values) {
          const result = await inner.apply(this, values);
          if (isOurs(values[0]) || !isStep()) return result;
          begin(name);
          end();
          return result;
        } as Method,
    );
}

if (isMainThread) {
  process.on("message", ({ message }: { message?: unknown }) => {
    const named = typeof message === "string" ? placeIn(message) : undefined;
    if (named !== undefined) [place, steps, isInTransaction] = [named, 0, false];
  });
  standBeforeStatements(aroundStatement);
  watchFiles();
  standBefore(childProcess, STARTING, () => false);
  syncBuiltinESMExports();
  keepCompiled();
}

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

/** Counts a step that is about to be taken; true where only half of it is to be done. */
function begin(verb: string, isCut = false): boolean {
  const step: Step = { n: ++steps, verb, isCut };
  report.write(step);
  return place!.step === step.n && place!.part === "half";
}

function end(): void {
  if (place?.step === steps && place.part === "after") report.die(place);
}

function isStep(): boolean {
  return place !== undefined && !report.isWriting && depth === 0;
}

/** Does a step; what it does within itself is no other one. */
function around(verb: string, work: () => unknown): unknown {
  if (!isStep()) return work();
  begin(verb);
  depth++;
  try {
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

function watchFiles(): void {
  for (const name of CHANGING)
    stand(
      fs,
      name,
      (inner) =>
        function (this: unknown, ...values) {
          return isOurs(values[0]) ? inner.apply(this, values) : around(name, () => inner.apply(this, values));
        },
    );
  stand(
    fs,
    "appendFileSync",
    (inner) =>
      function (this: unknown, ...values) {
        const [file, text] = values;
        if (isOurs(file) || typeof text !== "string" || !isStep()) return inner.apply(this, values);
        const isHalf = begin("appendFileSync", true);
        depth++;
        if (isHalf) {
          const bytes = Buffer.from(text);
          appendFileSync(String(file), bytes.subarray(0, bytes.length >> 1));
          report.die(place!);
        }
        const result = inner.apply(this, values);
        depth--;
        end();
        return result;
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
  for (const name of STARTING)
    stand(
      childProcess,
      name,
      (inner) =>
        function (this: unknown, ...values) {
          return around(name, () => inner.apply(this, values));
        },
    );
  syncBuiltinESMExports();
  keepCompiled();
}

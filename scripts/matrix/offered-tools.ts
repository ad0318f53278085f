/**
 * The tools that a stored conversation used are offered in its run, as they are where such a conversation comes from.
 */
import { isEntry, parseLines } from "../../harness/openclaw/transcript.ts";
import type { Job } from "../start/jobs.ts";

/** What OpenClaw takes for a tool's name. */
const NAME = /^[A-Za-z0-9_-]{1,64}$/;
/** Tools of OpenClaw's own that a caller may not offer under the same name, and by which of them each is offered. */
const BUILT_IN = new Map([
  ...["read", "write", "edit", "exec", "process"].map((name) => [name, name] as const),
  ["bash", "exec"],
]);

/**
 * The job with the caller's tools. Without them, the unpatched releases from 2026.2.22 to 2026.9.4 take the calls and
 * results of the conversation out of its history, and the patched ones send them in words.
 */
export function offeringItsTools(job: Job): Job {
  const called = calledTools(job.transcript());
  const tools = [...new Set(["read", ...called.flatMap((name) => BUILT_IN.get(name) ?? [])])];
  const clientTools = called.filter((name) => !BUILT_IN.has(name));
  return { ...job, tools, ...(clientTools.length === 0 ? {} : { clientTools }) };
}

function calledTools(transcript: string): readonly string[] {
  const names = parseLines(transcript)
    .filter(isEntry)
    .flatMap(({ message }) => listBlocks(message))
    .flatMap((block) =>
      isEntry(block) && typeof block["name"] === "string" && NAME.test(block["name"]) ? [block["name"]] : [],
    );
  return [...new Set(names)].toSorted();
}

function listBlocks(message: unknown): readonly unknown[] {
  const content = isEntry(message) ? message["content"] : undefined;
  return Array.isArray(content) ? content : [];
}

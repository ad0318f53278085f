/**
 * The places where OpenClaw's own resets delete the transcript: after a role-ordering conflict, or a Gemini
 * function-call-turn error.
 */
import {
  type Node,
  asNode,
  asNodes,
  calleeName,
  isFunction,
  memberPath,
  findOffsets,
  findStatement,
  listStatements,
  walkTo,
} from "../source/ast.ts";
import { type Chunk, type Insertion, guardCall, Mismatch } from "../source/insertion.ts";
import type { PatchPoint } from "../source/point.ts";

const ID = "session-reset";
const CANDIDATES = "transcriptCandidates";
const RESOLVE = "resolveSessionTranscriptPath";
const NEEDLES = ["unlinkSync(candidate)", "unlinkSync(transcriptPath)"];

export const sessionReset: PatchPoint = {
  id: ID,
  prevents: "a reset that deletes a conversation because of an error",
  commit: "sessions: copy a transcript before a reset deletes it",
  why:
    "OpenClaw answers some errors by resetting the session and deleting its transcript: role ordering (to 2026.6.8, " +
    "reached to 2026.5.12), Gemini's function call turn (to 2026.5.12). From 2026.7.1 OpenClaw archives it.",
  dependsOn:
    `unlinkSync(candidate) in the loop over ${CANDIDATES}; unlinkSync(transcriptPath), whose value is the result ` +
    `of ${RESOLVE}; each in a try of its own`,
  inserts:
    "archiveBeforeReset(file) before it: a copy with its hash next to the transcript, or, when that cannot be " +
    "made, no deletion",
  needles: NEEDLES,
  copies: { min: 0, max: 24 },
  essential: false,
  locate: (chunk) => deletionsIn(chunk).map((deletion) => insertionBefore(chunk, deletion)),
  proof: "test/patching/session-reset.slow.test.ts",
  provenance: {
    origin: "vendor",
    bugs: ["openclaw#97529"],
    forwarded: "not-needed",
    appliedUpstream: "2026.7.1 (openclaw#97544)",
    lastUpdate: "2026-11-22",
    dropWhen: "no supported release is older than 2026.7.1",
  },
};

/** A statement that deletes a transcript. */
interface Deletion {
  readonly statement: Node;
  /** The variable with its path. */
  readonly file: string;
}

/**
 * Finds every deletion of a transcript in a chunk. Throws a Mismatch for one that would still happen after the copy has
 * failed.
 */
function deletionsIn(chunk: Chunk): readonly Deletion[] {
  const deletions: Deletion[] = [];
  const offsets = NEEDLES.flatMap((needle) => findOffsets(chunk.source, needle));
  walkTo(chunk.tree, offsets, (call, ancestors) => {
    const file = call.type === "CallExpression" ? memberPath(asNodes(call["arguments"])[0]) : undefined;
    if (
      file === undefined ||
      !/(^|\.)unlinkSync$/.test(memberPath(call["callee"]) ?? "") ||
      !isTranscript(file, ancestors)
    )
      return;
    const place = findStatement(call, ancestors);
    if (place?.statement.type !== "ExpressionStatement" || !isCaught(place.scope)) {
      throw new Mismatch(
        "a transcript that is deleted in another way than by a statement in a try that continues after an error",
        call,
      );
    }
    // 2026.6.9 to 2026.6.35 have it in a function that is never called.
    if (ancestors.findLast(isFunction)?.["async"] !== true) return;
    deletions.push({ statement: place.statement, file });
  });
  return deletions;
}

/**
 * `for (const X of transcriptCandidates)`, or `const X = resolveSessionTranscriptPath(...)`, around the deletion of X.
 */
function isTranscript(file: string, ancestors: readonly Node[]): boolean {
  return ancestors.some((ancestor) => {
    if (ancestor.type === "ForOfStatement")
      return memberPath(ancestor["right"]) === CANDIDATES && declares(asNode(ancestor["left"]), file) !== undefined;
    return listStatements(ancestor).some((statement) => {
      const value = asNode(declares(statement, file)?.["init"]);
      return value !== undefined && calleeName(value) === RESOLVE;
    });
  });
}

function declares(statement: Node | undefined, name: string): Node | undefined {
  if (statement?.type !== "VariableDeclaration") return undefined;
  return asNodes(statement["declarations"]).find(({ id }) => memberPath(id) === name);
}

/**
 * Whether the innermost block is that of a `try` with an empty `catch`: then an error of the inserted line only
 * prevents the deletion.
 */
function isCaught(scope: readonly Node[]): boolean {
  const block = scope.at(-1);
  const around = scope.at(-2);
  if (block === undefined || around?.type !== "TryStatement" || asNode(around["block"]) !== block) return false;
  const handler = asNode(asNode(around["handler"])?.["body"]);
  return handler !== undefined && listStatements(handler).length === 0;
}

function insertionBefore(chunk: Chunk, { statement, file }: Deletion): Insertion {
  return { point: ID, statement, where: "before", text: `${guardCall(chunk, "archiveBeforeReset", file)};` };
}

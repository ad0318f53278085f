import { describe, expect, test } from "vitest";
import { insertAll, prove } from "../write/edit.ts";
import { sha256 } from "../base/hash.ts";
import type { Insertion } from "../source/insertion.ts";
import { locate } from "./locate.ts";

/** The insertions of a chunk; throws what could not be placed. */
function find(text: string): readonly Insertion[] {
  return locate({ file: "dist/chunk.js", text }, "2026.9.6").flatMap(({ insertion, mismatch }) => {
    if (mismatch !== undefined) throw new Error(mismatch);
    return insertion ?? [];
  });
}

const pipeline = (parts: {
  readonly session?: string;
  readonly open?: string;
  readonly sink?: string;
  readonly before?: string;
}): string => {
  const {
    session = "activeSession",
    open = "async function attempt(params, activeSession, sanitizeSessionHistory) {",
    before = "",
  } = parts;
  return [
    open,
    `\tconst policy = {};${before}`,
    "\tconst prior = await sanitizeSessionHistory({",
    `\t\tmessages: ${session}.messages,`,
    "\t\tmodelApi: params.model.api,",
    "\t\tmodelId: params.modelId,",
    "\t\tprovider: params.provider,",
    "\t\tsessionId: params.sessionId",
    "\t});",
    "\tconst limited = limitHistoryTurns(prior, getHistoryLimitFromSessionKey(params.sessionKey, policy));",
    `\t${parts.sink ?? `if (limited.length > 0) ${session}.agent.state.messages = limited;`}`,
    "}",
    "",
  ].join("\n");
};

describe("the history pipeline", () => {
  test("gets a line before the sanitising and one behind the sink", () => {
    const source = pipeline({});
    const insertions = find(source);
    expect(insertions.map(({ point, where }) => [point, where])).toEqual([
      ["attempt-history-load", "before"],
      ["attempt-history-gate", "after"],
    ]);
    const header = { patchSet: "1", release: "2026.9.6", original: sha256(source) };
    const patched = insertAll(source, insertions, header);
    prove(source, patched, 2);
    const lines = patched.split("\n");
    expect(lines[3]).toBe(
      '\tawait (await import("./openclaw-integrity.mjs").catch(console.error))?.guardHistory(activeSession, { sessionId: params.sessionId, ' +
        "provider: params.provider, modelId: params.modelId, api: params.model.api, sessionKey: params.sessionKey, " +
        'release: "2026.9.6", point: "attempt-history-load" }); /* openclaw-integrity:attempt-history-load */',
    );
    expect(lines.at(-3)).toMatch(
      /^\t\(await import\("\.\/openclaw-integrity\.mjs"\)\.catch\(console\.error\)\)\?\.guardSession\(activeSession, \{.*\}\); \/\* openclaw-integrity:attempt-history-gate \*\/$/,
    );
  });

  test("tells whom a run answers where the same function of OpenClaw's reads it, and nothing elsewhere", () => {
    const reads =
      "subscribe({ messageProvider: params.messageProvider, groupId: params.groupId, blockReplyBreak: params.blockReplyBreak });";
    const line = (source: string): string => find(source).at(-1)!.text;
    const source = pipeline({});
    const at = source.indexOf("\n") + 1;
    const reading = `${source.slice(0, at)}${reads}\n${source.slice(at)}`;
    expect(line(reading)).toContain(
      "sessionKey: params.sessionKey, messageProvider: params.messageProvider, groupId: params.groupId, blockReplyBreak: params.blockReplyBreak, release:",
    );
    const ended = "const runAbortController = new AbortController();\n";
    const ending = `${source.slice(0, at)}${reads}${ended}${source.slice(at)}`;
    expect(line(ending)).toContain("params.blockReplyBreak, signal: runAbortController.signal, release:");
    expect(line(`${source.slice(0, at)}${ended}${source.slice(at)}`)).not.toContain("signal:");
    const asking = `${source.slice(0, at)}${reads}ask(params.prompt);\n${source.slice(at)}`;
    expect(line(asking)).toContain("params.blockReplyBreak, prompt: params.prompt, release:");
    expect(line(source)).toContain("sessionKey: params.sessionKey, release:");
    expect(line(`${reads}\n${source}`)).toContain("sessionKey: params.sessionKey, release:");
  });

  test("is found with the call form of the older releases, in compaction, and under a bundler's second name", () => {
    const source = pipeline({
      session: "session",
      open: "async function compact(params, session, sanitizeSessionHistory$1) {",
      sink: "if (limited.length > 0) session.agent.replaceMessages(limited);",
    })
      .replaceAll(/(limitHistoryTurns|sanitizeSessionHistory)\(/g, "$1$1(")
      .replaceAll("limitHistoryTurnslimitHistoryTurns", "limitHistoryTurns$1")
      .replaceAll("sanitizeSessionHistorysanitizeSessionHistory", "sanitizeSessionHistory$1");
    expect(find(source).map(({ point }) => point)).toEqual(["compaction-history-load", "compaction-history-gate"]);
  });

  test("is found where compaction sanitises inside another call, and with a sink in braces", () => {
    const source = pipeline({
      session: "session",
      open: "async function compact(params, session, sanitizeSessionHistory) {",
      sink: "if (limited.length > 0) {\n\t\tsession.agent.state.messages = limited;\n\t}",
    })
      .replace(
        "await sanitizeSessionHistory({",
        "dedupe(await validateReplayTurns({ messages: await sanitizeSessionHistory({",
      )
      .replace("sessionId: params.sessionId\n\t});", "sessionId: params.sessionId\n\t}), policy }));");
    expect(find(source).map(({ point }) => point)).toEqual(["compaction-history-load", "compaction-history-gate"]);
  });

  test("a sanitising inside another function is not taken for the pipeline's own", () => {
    const source = pipeline({})
      .replace(
        "const prior = await sanitizeSessionHistory({",
        "const prior = later(async () => await sanitizeSessionHistory({",
      )
      .replace("sessionId\n\t});", "sessionId\n\t}));");
    expect(() => find(source)).toThrow(/0 calls of sanitizeSessionHistory/);
  });

  test("is refused when it is not what it was", () => {
    expect(() => find(pipeline({ sink: "use(limited);" }))).toThrow(/outcome goes to no agent/);
    expect(() => find(pipeline({ session: "other" }))).toThrow(/neither activeSession nor session/);
    expect(() => find(pipeline({ before: "" }).replace("sessionId: params.sessionId", "sessionId: read()"))).toThrow(
      /no plain "sessionId"/,
    );
    expect(() => find(pipeline({}).replace("async function", "function").replace("= await", "="))).toThrow(
      /does not stand in an async function/,
    );
    expect(() => find(pipeline({ open: "async function attempt(options, activeSession) {" }))).toThrow(
      /"params".*not in scope/,
    );
  });

  test("a statement that shares its line with another is refused", () => {
    const source = pipeline({}).replace("\n\tconst prior", " const prior");
    const header = { patchSet: "1", release: "2026.9.6", original: sha256(source) };
    expect(() => insertAll(source, find(source), header)).toThrow(/shares its line/);
  });
});

describe("the load of a session", () => {
  test("a transcript file is looked at before OpenClaw looks at it", () => {
    const source =
      "async function open(params) {\n\tawait repairSessionFileIfNeeded({\n\t\tsessionFile: params.sessionFile\n\t});\n}\n";
    expect(find(source)).toMatchObject([
      {
        point: "session-load",
        where: "before",
        text: 'await (await import("./openclaw-integrity.mjs").catch(console.error))?.repairSessionFile(params.sessionFile);',
      },
    ]);
  });

  test("an attempt whose prompt OpenClaw counts before it sends it passes its parameters", () => {
    const open = "\tawait repairSessionFileIfNeeded({ sessionFile: params.sessionFile });\n";
    const source = `async function open(params) {\n${open}\tcount(params.prompt, params.contextTokenBudget);\n}\n`;
    expect(find(source)[0]!.text).toMatch(/repairSessionFile\(params\.sessionFile, params\);$/);
  });

  test("what OpenClaw reads from the file for its repair is read behind our line", () => {
    const source = [
      "async function open(params) {",
      "\tuse(1);",
      "\tconst snapshot = await read();",
      "\tconst report = await repairSessionFileIfNeeded({ sessionFile: params.sessionFile, trustedSnapshot: snapshot });",
      "\tawait prewarmSessionFile(params.sessionFile);",
      "}",
      "",
    ].join("\n");
    expect(find(source).map(({ statement }) => source.slice(statement.start, statement.end))).toEqual([
      "const snapshot = await read();",
    ]);
  });

  test("a release without a repair of its own gets the line where it first reads the file", () => {
    const source = "async function open(params) {\n\tawait prewarmSessionFile(params.sessionFile);\n}\n";
    expect(find(source)).toMatchObject([{ point: "session-load", where: "before" }]);
  });

  test("entries of the SQLite store go through the guard before their header is looked at", () => {
    const source = [
      "import { loadTranscriptReadSnapshotSync, assertCurrentSessionTranscriptHeader } from './x.mjs';",
      "class Core {",
      "\tsetLoadedSessionTarget(target, entries, bounded, version) {",
      "\t\tthis.check();",
      "\t\tif (target) assertCurrentSessionTranscriptHeader(entries[0]);",
      "\t}",
      "}",
      "",
    ].join("\n");
    const insertions = find(source);
    expect(insertions.map(({ where }) => where)).toEqual(["top", "before"]);
    const patched = insertAll(source, insertions, { patchSet: "1", release: "2026.9.6", original: sha256(source) });
    prove(source, patched, 2);
    const lines = patched.split("\n");
    expect(lines[1]).toBe(
      'import { loadTranscript as openclawIntegrityLoadTranscript } from "./openclaw-integrity.mjs"; /* openclaw-integrity:session-load */',
    );
    expect(lines[5]).toMatch(/^\t\t\(\{ entries, bounded \} = openclawIntegrityLoadTranscript\(\{ entries, bounded, /);
    expect(() => find(source.replace("target, entries,", "target, rows,"))).toThrow(/"entries".*not in scope/);
    expect(
      find(
        source.replace(", bounded, version", "").replace("loadTranscriptReadSnapshotSync", "loadTranscriptEventsSync"),
      )[1]?.text,
    ).toBe(
      "({ entries } = openclawIntegrityLoadTranscript({ entries, sessionId: target?.sessionId, readAll: () => target ? loadTranscriptEventsSync(target) : entries }));",
    );
    expect(() => find(source.replace("loadTranscriptReadSnapshotSync", "loadRows"))).toThrow(
      /no function in reach of setLoadedSessionTarget/,
    );
  });

  test("a read that starts the rebuild of an index and fails is waited for", () => {
    const source = [
      'import { t as SessionManager } from "./session-manager.mjs";',
      "async function attempt(attempt) {",
      "\tconst manager = attempt.manager ?? (attempt.sessionTarget ? SessionManager.open(attempt.sessionTarget, 1) : void 0);",
      "}",
      "",
    ].join("\n");
    expect(find(source)).toMatchObject([
      {
        point: "session-index",
        where: "before",
        text:
          'await (await import("./openclaw-integrity.mjs").catch(console.error))?.whenReadable(() => ' +
          "attempt.sessionTarget && SessionManager.openBounded(attempt.sessionTarget, { maxBytes: 1024, maxEvents: 1 }));",
      },
    ]);
    expect(() => find(source.replace("async function", "function"))).toThrow(/does not stand in an async function/);
  });

  test("an index that an append would leave outdated is brought up to date in front of the mark, and only there", () => {
    const names = [
      "extractTranscriptIndexEntry",
      "hasTranscriptMessage",
      "isCanonicalSessionTranscriptEntry",
      "parseSessionTranscriptTreeEntry",
      "readProjectionSource",
      "readSessionTranscriptProjectionState",
      "reconcileSessionTranscriptIndexInTransaction",
      "replaceSessionTranscriptIndexSuffixInTransaction",
      "scanSessionTranscriptTree",
      "selectSessionTranscriptTreePathNodes",
      "shouldProjectActiveEvent",
      "shouldRebuildSessionTranscriptIndexSynchronously",
      "transcriptEventContextEligibility",
    ];
    const source = [
      `import { ${names.join(", ")} } from "./x.mjs";`,
      "function createTranscriptIndexAppenderInTransaction(db, sessionId) {",
      "\tlet watermark;",
      "\treturn (params) => {",
      "\t\tconst append = prepareSessionTranscriptProjectionAppend(params);",
      "\t\tif (!append) {",
      "\t\t\twatermark = markSessionTranscriptIndexDirtyInTransaction(db, sessionId);",
      "\t\t}",
      "\t};",
      "\tfunction applyForwardIndex() {}",
      "}",
      "",
    ].join("\n");
    expect(find(source)).toMatchObject([
      { where: "top" },
      {
        point: "session-projection",
        where: "before",
        text: expect.stringMatching(/^if \(!append\) \{ const indexed = openclawIntegrityIndexOutOfOrder\(append, /),
      },
    ]);
    expect(() => find(source.replace("readProjectionSource, ", ""))).toThrow(/"readProjectionSource".*not in scope/);
    expect(find(source.replace("watermark = mark", "mark"))).toEqual([]);
  });

  test("the queues that a module has for itself are published, and those of the process are left", () => {
    const source =
      "const FOLLOWUP_QUEUES$1 = /* @__PURE__ */ new Map();\nfunction get() { return FOLLOWUP_QUEUES$1; }\n";
    const insertions = find(source);
    expect(insertions).toMatchObject([{ point: "followup-queues", where: "after" }]);
    const patched = insertAll(source, insertions, { patchSet: "1", release: "2026.2.3", original: sha256(source) });
    prove(source, patched, 1);
    expect(patched.split("\n")[2]).toMatch(/^Reflect\.set\(globalThis, .*, FOLLOWUP_QUEUES\$1\]\);/);
    expect(find(`export ${source}`)).toHaveLength(1);
    expect(find('const FOLLOWUP_QUEUES = resolveGlobalMap(Symbol.for("openclaw.followupQueues"));\n')).toEqual([]);
    expect(() => find("const FOLLOWUP_QUEUES = new Map(before);\n")).toThrow(/no empty Map/);
  });

  test("an accepted message is noted where OpenClaw takes it from its params, and nowhere that only passes them on", () => {
    const source = "async function dispatchReplyFromConfig(params) {\n\tconst { ctx, cfg, dispatcher } = params;\n}\n";
    const insertions = find(source);
    expect(insertions).toMatchObject([{ point: "accepted-message", where: "before" }]);
    const patched = insertAll(source, insertions, { patchSet: "1", release: "2026.2.3", original: sha256(source) });
    prove(source, patched, 1);
    expect(patched.split("\n")[2]).toMatch(/^\tawait .*noteAccepted\(params\);/);
    expect(find(source.replace("const { ctx, cfg, dispatcher } = params", "return await dispatch(params)"))).toEqual(
      [],
    );
    expect(find(source.replace("ctx, cfg, dispatcher", "cfg"))).toEqual([]);
  });

  test("a message is noted before the gateway acknowledges it, by what the gateway makes of it behind that", () => {
    const source = [
      "async function send(p, respond) {",
      "\tconst clientRunId = p.id, parsedMessage = p.text;",
      '\trespond(true, { runId: clientRunId, status: "in_flight" }, void 0, { runId: clientRunId });',
      '\tconst ackPayload = { runId: clientRunId, status: "started" };',
      "\trespond(true, ackPayload, void 0, { runId: clientRunId });",
      '\tconst ctx = { RawBody: parsedMessage, SessionKey: p.key, Provider: CHANNEL, MessageSid: clientRunId, Body: "x" };',
      "}",
      'import { CHANNEL } from "./channel.js";',
      "",
    ].join("\n");
    const insertions = find(source);
    expect(insertions).toMatchObject([{ point: "acknowledged-message", where: "before" }]);
    const patched = insertAll(source, insertions, { patchSet: "1", release: "2026.2.3", original: sha256(source) });
    prove(source, patched, 1);
    expect(patched.split("\n")[5]).toMatch(
      /^\tawait .*noteAccepted\(\{ ctx: \{ SessionKey: p\.key, Provider: CHANNEL, RawBody: parsedMessage, MessageSid: clientRunId \}, replyOptions: \{ runId: clientRunId \} \}\);/,
    );
    // A release that has made it before, and has stored it where the conversation has a session.
    const later = source.replace(
      "const clientRunId",
      "let pendingStageAttempted; const ctx = {}, parsedImages = [], clientRunId",
    );
    expect(find(later.replace(/\tconst ctx = \{ R.*/, ""))[0]?.text).toMatch(
      /^if \(!pendingStageAttempted\) await .*noteAccepted\(\{ ctx, replyOptions: \{ runId: clientRunId, images: parsedImages \} \}\);/,
    );
    expect(() => find(source.replace("SessionKey: p.key", "SessionKey: late.key"))).toThrow(/"late" .*not in scope/);
    expect(() => find(source.replace("const ctx = {", "const other = {"))).toThrow(/without ctx/);
  });

  test("the declaration of a function is no call of it", () => {
    expect(
      find(
        "function assertCurrentSessionTranscriptHeader(header) {}\nasync function repairSessionFileIfNeeded(params) {}\nfunction limitHistoryTurns(messages, limit) {}\n",
      ),
    ).toEqual([]);
  });
});

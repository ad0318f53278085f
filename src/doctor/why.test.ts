import fc from "fast-check";
import { expect, it } from "vitest";
import { HEALTHY, result, says, user } from "../../harness/openclaw/samples.ts";
import { toTranscript } from "../../harness/openclaw/transcript.ts";
import { State } from "../../test/doctor/state.ts";
import { openCatalog } from "../store/index.ts";
import { whyLines } from "./why-lines.ts";
import { findOrigin } from "./why.ts";

const LOST = "toolu_018TvmomdVZ6N9Cr7hMVqQWJ";
const REFUSED = `400 messages.302.content.1: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${LOST}. Each …`;

function newState(): State {
  const state = new State();
  state.put("other", toTranscript([user("go"), says("yes"), result("toolu_other", "of nothing")]));
  state.put("lost", toTranscript([user("one SECRET"), says("yes"), result(LOST, "of nothing"), user("hello?")]));
  state.put("sound", toTranscript(HEALTHY));
  return state;
}

async function why(state: State, text: string, withWords = false) {
  const catalog = openCatalog(state.directory);
  try {
    const origin = await findOrigin(catalog, text, { stateDirectory: state.directory });
    return { origin, text: whyLines(origin, 100, withWords).join("\n") };
  } finally {
    catalog.close();
  }
}

it("finds the message that an error names among sessions with other faults: a person has hundreds of sessions", async () => {
  const { origin, text } = await why(newState(), REFUSED);
  expect(origin.suspects.map(({ session, by }) => [session.sessionId, by])).toEqual([["lost", "id"]]);
  expect(text).toMatch(/3 toolResult: result of read toolu_018\w+ {2}<- a tool result without a call/);
  expect(text).toContain("sessions repair lost");
  const [, sent] = text.split("as a patched OpenClaw sends it:");
  expect(sent).not.toContain(LOST);
  expect(text).not.toContain("SECRET");
  expect((await why(newState(), REFUSED, true)).text).toContain("SECRET");
});

it("says of an id that nobody has that it is gone, and names the sessions with faults", async () => {
  const { origin, text } = await why(newState(), "400 No tool output found for function call call_gone12345.");
  expect(origin.suspects.map(({ session, by }) => [session.sessionId, by]).toSorted()).toEqual([
    ["lost", "fault"],
    ["other", "fault"],
  ]);
  expect(text).toContain("No stored session has call_gone12345 now.");
});

it("finds the error at the end of a long log, and the session that the log names", async () => {
  const log = "12:00 info [gateway] a request was answered, nothing of interest here\n".repeat(3000);
  expect((await why(newState(), `${log}${REFUSED}\n${log.slice(0, 20_000)}`)).origin.suspects[0]?.by).toBe("id");
  const named = 'lane=session:x sessionId=lost-one error="400 messages.2.content.0: unexpected tool_use_id"';
  const state = newState();
  state.put("lost-one", toTranscript([user("go"), says("yes"), result("toolu_9", "of nothing")]));
  expect((await why(state, named)).origin.suspects.map(({ session }) => session.sessionId)).toEqual(["lost-one"]);
});

it("knows an id in the letters and digits that OpenClaw makes of it, and in an error of unknown words", async () => {
  for (const text of [`400 unexpected tool_use_id ${LOST.replace("_", "")}`, `tool error: ${LOST}`])
    expect((await why(newState(), text)).origin.suspects.map(({ session }) => session.sessionId)).toEqual(["lost"]);
});

it("takes words of OpenClaw's own refusals for what they are, and no sound session for the one", async () => {
  const { origin, text } = await why(newState(), "Error: session file locked (timeout 10000ms): pid=1 x.jsonl.lock");
  expect(origin).toMatchObject({ own: "stuck_lock", suspects: [] });
  expect(text).toContain("OpenClaw itself refuses the session");
});

it.each([
  ["hello", "other"],
  ["ENOSPC: no space left on device", "other"],
  ["429 Too many requests", "overload"],
  ["401 Incorrect API key provided", "access"],
  ["prompt is too long: 213000 tokens > 200000 maximum", "size"],
])("accuses no session of %s", async (text, kind) => {
  const { origin } = await why(newState(), text);
  expect(origin).toMatchObject({ failure: { kind }, suspects: [], others: 0 });
});

it("accuses no sound session, whatever the error says", async () => {
  const state = new State();
  state.put("sound", toTranscript(HEALTHY));
  const part = fc.oneof(
    fc.string({ unit: "grapheme", maxLength: 40 }),
    fc.constantFrom(
      "400 ",
      "messages.1: ",
      "tool_use_id ",
      "unexpected ",
      "roles must alternate ",
      "`call_9`",
      "{",
      '"',
    ),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(part, { maxLength: 8 }), async (parts) => {
      const { origin } = await why(state, parts.join(""));
      expect(origin.suspects).toEqual([]);
    }),
    { numRuns: 100 },
  );
});

it("shows nothing of a stored name or of an error that could act on a terminal", async () => {
  const state = new State();
  state.put("bad", toTranscript([user("go"), says("yes"), result("toolu_\u001b[2J\u202e1234567", "x")]));
  const { text } = await why(state, "400 unexpected tool_use_id \u001b[2J toolu_12345678");
  // oxlint-disable-next-line no-control-regex -- these are what is looked for
  expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e]/);
});

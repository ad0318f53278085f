import { afterEach, describe } from "vitest";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import { forgotten } from "./forgotten-cases.ts";
import {
  firstMessages,
  killed,
  stoppedAtStart,
  stoppedBehindAcknowledgement,
  stoppedQuestion,
  untaken,
  waitingModes,
} from "./message-cases.ts";
import { olderOnly } from "./older-cases.ts";
import { sharePatched } from "./patched-gateway.ts";
import { streams } from "./stream-cases.ts";

// A message costs 2026.9.6 ten times as much; all pauses and queue modes: messages.heavy.test.ts.
describe.each(BASE_RELEASES)("messages of a person to the patched gateway of OpenClaw %s", (release) => {
  const isLater = release === "2026.9.6";
  const scopes = ["operator.read", "operator.write", "operator.admin"];
  const patched = sharePatched(release, { scopes, mayForget: true });

  describe("lose none where it need not", () => {
    let before = 0;
    afterEach(() => {
      const said = patched.gateway.forgotten();
      const [first] = said.slice(before);
      before = said.length;
      if (first !== undefined) throw new Error(`expected each message in the next request; found: ${first}`);
    });
    streams(patched);
    stoppedQuestion(patched);
    firstMessages(patched, isLater ? [0] : [0, 1, 2, 5, 9, 14, 18]);
    stoppedBehindAcknowledgement(patched, isLater ? [20] : [0, 10, 20, 40, 80]);
    if (!isLater) olderOnly(patched);
    if (isLater) untaken(patched, ["followup"]);
    killed(patched, { conversations: isLater ? 2 : 3, pauseMs: 0 }, waitingModes(release).slice(0, 1));
  });

  describe("lose some where they are stopped or taken away", () => {
    stoppedAtStart(patched, isLater ? 4 : 10, isLater ? 20 : 8);
    forgotten(patched);
  });
});

import { describe } from "vitest";
import { BASE_RELEASES } from "../../harness/openclaw/releases.ts";
import {
  firstMessages,
  killed,
  stoppedAtStart,
  stoppedBehindAcknowledgement,
  superseded,
  untaken,
  waitingModes,
} from "./message-cases.ts";
import { sharePatched } from "./patched-gateway.ts";

/** How often each gateway is killed, at another moment each time. */
const KILLS = Number(process.env["MESSAGE_KILLS"] ?? 4);
const pauses = Array.from({ length: KILLS }, (_, kill) => (kill * 397) % 2000);

// At all moments what messages.slow.test.ts does at a few.
describe.each(BASE_RELEASES)("messages of a person to the patched gateway of OpenClaw %s", (release) => {
  const patched = sharePatched(release, { mayForget: true });
  firstMessages(patched, [0, 1, 2, 5, 9, 14, 18]);
  stoppedBehindAcknowledgement(patched, [0, 10, 20, 40, 80]);
  stoppedAtStart(patched, 20, 4);
  if (release === "2026.9.6") {
    for (const mode of ["collect", "followup"]) superseded(patched, mode, [450, 600, 750]);
    untaken(patched);
  }
  for (const pauseMs of pauses) killed(patched, { conversations: 6, pauseMs }, waitingModes(release));
});

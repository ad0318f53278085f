import { expect, it } from "vitest";
import { assistant, call, result, text, user } from "../../../harness/messages.ts";
import { noUsage } from "../openclaw/usage.ts";
import { gated } from "./gated.ts";

const usage = noUsage();

it("takes the text of their arguments out of complete calls, for which OpenClaw 2026.9 would leave out turn and results", () => {
  const thought = { type: "thinking", thinking: "hm", thinkingSignature: "c2ln" };
  const turn = { ...assistant(thought, { ...call("a"), partialJson: '{"command":"ls"}' }), usage };
  const history = [user("go"), turn, result("a"), { ...assistant(text("done")), usage }];
  const sent = gated("anthropic-messages", history);
  expect(JSON.stringify(sent)).not.toContain("partialJson");
  expect(sent).toEqual(
    JSON.parse(JSON.stringify(history, (key, value: unknown) => (key === "partialJson" ? undefined : value))),
  );
  expect(gated("anthropic-messages", sent)).toBe(sent);
});

it("leaves a conversation that OpenClaw began itself as it is", () => {
  const history = [{ ...assistant(text("Reminder: at ten.")), usage }, user("Thanks.")];
  expect(gated("anthropic-messages", history)).toBe(history);
});

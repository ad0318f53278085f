import { expect, it } from "vitest";
import type { CommandContext } from "../api.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";
import { definitionOf, namesakesOf } from "./command.ts";

const OPERATOR = { isAuthorizedSender: true, gatewayClientScopes: ["operator.admin"] } as unknown as CommandContext;
const KEEPER = {
  options: { stateDirectory: "/nowhere/state", root: "/nowhere/openclaw" },
} as unknown as SessionMonitor;
const HOSTILE = "\u001b]8;;http://evil.example\u0007key\u202e\u009b2J\r";

it("names that others chose do nothing to the client that shows a reply, nor to OpenClaw's log, whether it is an answer or a refusal", async () => {
  const of = (answer: () => Promise<string>) =>
    definitionOf({ name: "l0-x", description: "", acceptsArgs: true, answer }, () => KEEPER).handler(OPERATOR);
  const shown = "\\u001b]8;;http://evil.example\\u0007key\\u202e\\u009b2J\\u000d";
  expect(await of(async () => `one\n${HOSTILE}`)).toEqual({ text: `one\n${shown}` });
  expect(
    await of(async () => {
      throw new Error(`expected ${HOSTILE}`);
    }),
  ).toEqual({ text: `expected ${shown}` });
});

it("is there under the name of the product too, and the older name goes on working", () => {
  const names = (name: string): readonly string[] =>
    namesakesOf({ name, description: "", acceptsArgs: false, answer: async () => "" }).map((one) => one.name);
  expect(names("l0-status")).toEqual(["l0-status", "integrity-status"]);
  expect(names("timeline")).toEqual(["timeline"]);
});

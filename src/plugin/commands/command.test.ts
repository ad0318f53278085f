import { expect, it } from "vitest";
import type { CommandContext } from "../api.ts";
import type { SessionMonitor } from "../sessions/session-monitor.ts";
import { defineCommand, listNamesakes } from "./command.ts";

const OPERATOR = { isAuthorizedSender: true, gatewayClientScopes: ["operator.admin"] } as unknown as CommandContext;
const KEEPER = {
  options: { stateDirectory: "/nowhere/state", root: "/nowhere/openclaw" },
} as unknown as SessionMonitor;
const HOSTILE = "\u001b]8;;http://evil.example\u0007key\u202e\u009b2J\r";

it("names that others chose do nothing to the client that shows a reply, nor to OpenClaw's log, whether it is an answer or a refusal", async () => {
  const runAnswer = (answer: () => Promise<string>) =>
    defineCommand({ name: "l0-x", description: "", acceptsArgs: true, answer }, () => KEEPER).handler(OPERATOR);
  const shown = "\\u001b]8;;http://evil.example\\u0007key\\u202e\\u009b2J\\u000d";
  expect(await runAnswer(async () => `one\n${HOSTILE}`)).toEqual({ text: `one\n${shown}` });
  expect(
    await runAnswer(async () => {
      throw new Error(`expected ${HOSTILE}`);
    }),
  ).toEqual({ text: `expected ${shown}` });
});

it("is there under the name of the product too, and the older name goes on working", () => {
  const names = (name: string): readonly string[] =>
    listNamesakes({ name, description: "", acceptsArgs: false, answer: async () => "" }).map((one) => one.name);
  expect(names("l0-status")).toEqual(["l0-status", "integrity-status"]);
  expect(names("timeline")).toEqual(["timeline"]);
});

import { readdirSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { isOwnCommand } from "../../timetravel/index.ts";
import type { JsonObject } from "../../transcript/json/json.ts";
import { withoutCommands } from "./commands.ts";

const command = { role: "user", content: "/rewind turn:-1", idempotencyKey: "k:user" };
const answer = { role: "assistant", provider: "openclaw", model: "gateway-injected", idempotencyKey: "k", content: [] };
const question = { role: "user", content: "a question" };
const on = (...messages: JsonObject[]) => ({
  getBranch: () => messages.map((message) => ({ type: "message", message })),
});

test("a command that OpenClaw has answered is not sent to the model as the person's words", () => {
  expect(withoutCommands([question, command], on(question, command, answer))).toEqual([question]);
  const listed = { ...command, content: [{ type: "text", text: " /timeline 20" }] };
  expect(withoutCommands([listed, question], on(listed, answer, question))).toEqual([question]);
});

test.each([
  ["no answer of OpenClaw's: the agent gets it", command, []],
  ["an answer to another message", command, [{ ...answer, idempotencyKey: "other" }]],
  ["the kept part of an answer that was stopped", command, [{ ...answer, openclawAbort: { aborted: true } }]],
  ["an answer of the model's", command, [{ ...answer, provider: "anthropic" }]],
  ["another program's command", { ...command, content: "/status" }, [answer]],
  ["a path", { ...command, content: "/timelines/old.txt is gone" }, [answer]],
  ["words that only name a command", { ...command, content: "what does /rewind do?" }, [answer]],
])("a message with %s stays, in the same list", (_, message, behind) => {
  const messages = [question, message];
  expect(withoutCommands(messages, on(question, message, ...(behind as JsonObject[])))).toBe(messages);
});

test("a manager that throws changes nothing", () => {
  const messages = [command];
  const getBranch = (): never => {
    throw new Error("closed");
  };
  expect(withoutCommands(messages, { getBranch })).toBe(messages);
});

test("every chat command of the plugin is known", () => {
  const folder = new URL("../../plugin/commands/", import.meta.url);
  const names = readdirSync(folder).flatMap((file) =>
    [...readFileSync(new URL(file, folder), "utf8").matchAll(/^ {2}name: "([a-z0-9-]+)",$/gm)].map(([, name]) => name!),
  );
  expect(names.length).toBeGreaterThanOrEqual(7);
  const all = names.flatMap((name) => [name, name.replace(/^l0-/, "integrity-")]);
  expect(all.filter((name) => !isOwnCommand(`/${name}`))).toEqual([]);
});

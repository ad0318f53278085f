import { mkdirSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, expect, test } from "vitest";
import { newFolder } from "../../temporary.ts";
import { availableApis, providerPlugins } from "./provider-plugins.ts";

const BEDROCK = "bedrock-converse-stream";
let dist = "";
beforeEach(() => {
  dist = newFolder();
});

test("Bedrock is offered where the core or a plugin that is brought along can talk it, and nowhere else", () => {
  expect([providerPlugins(dist), availableApis(dist).includes(BEDROCK)]).toEqual([[], true]);
  for (const id of ["anthropic", "telegram"]) mkdirSync(join(dist, "extensions", id), { recursive: true });
  expect([providerPlugins(dist), availableApis(dist).includes(BEDROCK)]).toEqual([["anthropic"], false]);
  mkdirSync(join(dist, "extensions", "amazon-bedrock"));
  expect([providerPlugins(dist), availableApis(dist).includes(BEDROCK)]).toEqual([
    ["anthropic", "amazon-bedrock"],
    true,
  ]);
});

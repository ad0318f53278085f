import { globSync, readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { expect, it } from "vitest";
import { FORMS } from "./forms.ts";
import { API_RULES } from "./violations.ts";

const ROOT = fileURLToPath(new URL("../..", import.meta.url));
const read = (file: string): string => readFileSync(`${ROOT}/${file}`, "utf8");
const PAGE = read("docs/library.md");

/** Rules that no list can break: on its end, and on what a body has beside it. */
const OF_BODIES = [
  "last_role",
  "final_thinking",
  "final_whitespace",
  "history_field",
  "history_type",
  "history_empty",
  "body_type",
  // Of families of models on Bedrock.
  "mixed_turn",
  "text_behind_call",
];

it("every rule that the APIs' checks report is one of the kinds of lists", () => {
  const reported = globSync("src/wire/**/*.ts", { cwd: ROOT, exclude: ["**/*.test.ts"] }).flatMap((file) =>
    [...read(file).matchAll(/(?:report\(|rule: )(?:[^;"]*\? )?"(?<rule>[a-z_]+)"/g)].map(
      (match) => match.groups!["rule"]!,
    ),
  );
  const kinds = [...read("src/transcript/violations.ts").matchAll(/\| "([a-z_]+)"/g)].map((match) => match[1]!);
  expect(reported.length).toBeGreaterThan(40);
  expect([...new Set(reported)].filter((rule) => ![...API_RULES, ...kinds, ...OF_BODIES].includes(rule))).toEqual([]);
  expect(API_RULES.filter((rule) => !reported.includes(rule) && rule !== "not_json")).toEqual([]);
});

it("docs/library.md explains each kind, and names each form", () => {
  const kinds = [...read("src/transcript/violations.ts").matchAll(/\| "([a-z_]+)"/g)].map((match) => match[1]!);
  expect(
    [...API_RULES, ...kinds, "invalid_arguments", "invalid_result"].filter((kind) => !PAGE.includes(`\`${kind}\``)),
  ).toEqual([]);
  expect(Object.values(FORMS).filter((form) => !PAGE.includes(form.replace(/ \(.*/, "")))).toEqual([]);
});

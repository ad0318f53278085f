import { expect, test } from "vitest";
import { formatCommand, withOthers } from "./page.ts";

const PAGE = `# Title

| sources | n |
| - | - |
| 2026.4.12-beta.1 | 2 |
| 2026.2.3 | 1 |

## 2026.2.3

Old.

## 2026.4.12-beta.1

Kept.
`;

test("a run of one tree leaves what is known of the other", () => {
  const entry = { release: "2026.2.3", row: "| 2026.2.3 | 3 |", section: "## 2026.2.3\n\nNew." };
  expect(withOthers([entry], PAGE)).toEqual([
    entry,
    { release: "2026.4.12-beta.1", row: "| 2026.4.12-beta.1 | 2 |", section: "## 2026.4.12-beta.1\n\nKept." },
  ]);
  expect(withOthers([entry], "")).toEqual([entry]);
});

test("a command is shown with the name of its source and without the others", () => {
  const words = ["--source", "/home/somebody/a.tgz", "--series", "--source", "b.txz", "--only", "src/a/**"];
  expect(formatCommand("trial fork", words, "a.tgz")).toBe(
    "npm run trial fork -- --source a.tgz --series --only 'src/a/**'",
  );
});

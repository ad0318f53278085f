import { visible } from "../../../src/base/visible.ts";
import type { LocatedViolation, OwnTranscript } from "../own.ts";
import type { Paint } from "./paint.ts";
import { count } from "./summary.ts";
import { layTable, type Row } from "./table.ts";
import { cut } from "./width.ts";

const SHOWN = 40;
const ID_WIDTH = 40;

/** What is wrong with a transcript: kinds and places, none of its content. */
export function describeOwn(
  { name, messages, damage, violations }: OwnTranscript,
  width: number,
  paint: Paint,
): string[] {
  const lines = [
    paint(
      "head",
      `${visible(name)}: ${count(messages, "message")} on the live branch, ${count(violations.length, "violation")}`,
    ),
  ];
  if (damage.length > 0) lines.push(`the file itself: ${damage.join(", ")}`);
  if (violations.length === 0) return lines;
  const columns = [{ title: "violation" }, { title: "message" }, { title: "line" }, { title: "id", flex: 1 }];
  lines.push(...layTable(columns, violations.slice(0, SHOWN).map(rowOf), width, paint));
  if (violations.length > SHOWN)
    lines.push(paint("dim", `and ${violations.length - SHOWN} more (--json has them all)`));
  return lines;
}

function rowOf({ kind, messageIndex, blockIndex, id, line }: LocatedViolation): Row {
  const place = blockIndex < 0 ? `${messageIndex}` : `${messageIndex}, block ${blockIndex}`;
  const shown = cut(visible(id), ID_WIDTH);
  return {
    cells: [
      { text: kind.replaceAll("_", " ") },
      { text: place },
      { text: line === undefined ? "" : `${line}` },
      { text: shown, style: "dim" },
    ],
  };
}

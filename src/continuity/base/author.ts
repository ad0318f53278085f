/** Authors of recorded texts: by which entry point they came, and how they are shown to another reader. */
import { nameInline, quotedInline } from "../../base/quoted.ts";
import { continuityError } from "./errors.ts";
import { assertStorable } from "./json.ts";

/** The code paths by which commands reach a ledger. */
const ENTRY_POINTS = ["openclaw", "mcp", "cli", "library"] as const;
export type EntryPoint = (typeof ENTRY_POINTS)[number];

/** The author of a recorded text. */
export interface Author {
  /** The code path, set by that code and never taken from input: this field can be trusted. */
  readonly entry: EntryPoint;
  /** OpenClaw's session key, or the name that an MCP client or a program gives itself, which nobody checks. */
  readonly name: string | null;
}

/** The author of a program that gives no name. */
export const PROGRAM: Author = { entry: "library", name: null };

const LONGEST_NAME = 200;
const LONGEST_SHOWN = 80;

/**
 * Returns an author with this entry point and name; the name is cut to what every store can hold.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { authorBy, Continuity, openSqliteStore } from "openclaw-integrity/continuity";
 *
 * const author = authorBy("library", "nightly build");
 * const continuity = new Continuity({ store: openSqliteStore({ file: ":memory:" }), author });
 * const goal = await (await continuity.project("site")).createGoal({ text: "Move the site", priority: 5 });
 * assert.deepEqual(goal.author, { entry: "library", name: "nightly build" });
 * await continuity.close();
 * ```
 */
export function authorBy(entry: EntryPoint, name?: string | undefined): Author {
  const kept = (name ?? "").replaceAll("\u0000", "").slice(0, LONGEST_NAME).toWellFormed().trim();
  return { entry, name: kept === "" ? null : kept };
}

/** Throws `bad-input` for a value that is not an author. */
export function assertAuthor({ entry, name }: Author): void {
  const isKnown =
    ENTRY_POINTS.includes(entry) &&
    (name === null || (typeof name === "string" && name !== "" && name.length <= LONGEST_NAME));
  if (!isKnown)
    throw continuityError("bad-input", {
      expected: `an author { entry: ${ENTRY_POINTS.join(" | ")}, name: 1 to ${LONGEST_NAME} characters or null }`,
      found: "a value of another form",
      todo: "Nothing was written.",
    });
  assertStorable(name, "the author's name");
}

/** Returns whether two authors are the same, as far as the entry point knows. */
export function isSameAuthor(one: Author, other: Author): boolean {
  return one.entry === other.entry && one.name === other.name;
}

/**
 * Describes an author, with the name quoted: `MCP client "editor"`.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { authorBy, authorText } from "openclaw-integrity/continuity";
 *
 * assert.equal(authorText(authorBy("mcp", "editor")), 'MCP client "editor"');
 * assert.equal(authorText(null), "an unknown author");
 * ```
 */
export function authorText(author: Author | null | undefined): string {
  const { entry, name } = author ?? { entry: undefined, name: null };
  switch (entry) {
    case "openclaw":
      return name === null ? "OpenClaw" : `OpenClaw conversation ${nameInline(name)}`;
    case "mcp":
      return name === null ? "an MCP client" : `MCP client ${quotedInline(name, LONGEST_SHOWN)}`;
    case "cli":
      return "the command line";
    case "library":
      return name === null ? "a program" : `program ${quotedInline(name, LONGEST_SHOWN)}`;
    default:
      return "an unknown author";
  }
}

/**
 * Describes an author to a reader; undefined when the reader is the author. A text of no known author counts as
 * somebody else's.
 *
 * @example
 * ```ts
 * import assert from "node:assert/strict";
 * import { authorBy, strangerTo } from "openclaw-integrity/continuity";
 *
 * const me = authorBy("library", "nightly build");
 * assert.equal(strangerTo(me, authorBy("library", "nightly build")), undefined);
 * assert.equal(strangerTo(me, authorBy("cli")), "the command line");
 * ```
 */
export function strangerTo(reader: Author, author: Author | null | undefined): string | undefined {
  return author && isSameAuthor(author, reader) ? undefined : authorText(author);
}

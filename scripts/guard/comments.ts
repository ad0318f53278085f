/**
 * Which comments of the source the built guard keeps: the line comments, which say why. The bundler drops those and
 * keeps docstrings, a fifth of the file, which are for callers in the source.
 */
import { parse } from "acorn";
import { parseSync } from "rolldown/utils";

/** The bundler keeps a line comment only when it begins like this, as a legal notice does. */
const KEPT = "//!";
/** Words to tools that only read the source. */
const DIRECTIVE = /^\s*(?:oxlint|oxfmt|@ts)-/;

interface CommentsPlugin {
  readonly name: string;
  transform(code: string, id: string): string | undefined;
  renderChunk(code: string): string;
}

/** A plugin of the bundler that keeps the line comments of TypeScript modules; docstrings are left to its `comments`. */
export function keepLineComments(): CommentsPlugin {
  return {
    name: "keep-line-comments",
    transform: (code, id) => (id.endsWith(".ts") ? markLineComments(id, code) : undefined),
    renderChunk: unmarkLineComments,
  };
}

/** The module with its line comments in the form that the bundler keeps. */
export function markLineComments(file: string, code: string): string {
  const kept = parseSync(file, code).comments.filter(({ type, value }) => type === "Line" && !DIRECTIVE.test(value));
  return replaceStarts(code, kept, "//", KEPT);
}

/** The bundle with them as they are in the source. */
export function unmarkLineComments(code: string): string {
  const kept: { readonly start: number }[] = [];
  parse(code, {
    ecmaVersion: "latest",
    sourceType: "module",
    onComment: (isBlock, text, start) => void (!isBlock && text.startsWith("!") && kept.push({ start })),
  });
  return replaceStarts(code, kept, KEPT, "//");
}

function replaceStarts(text: string, places: readonly { readonly start: number }[], from: string, to: string): string {
  const ends = [0, ...places.map(({ start }) => start + from.length)];
  const starts = [...places.map(({ start }) => start), text.length];
  return starts.map((start, index) => text.slice(ends[index], start)).join(to);
}

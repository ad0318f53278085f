import { patchError } from "./errors.ts";

/** The text of a file of OpenClaw. Throws `outcome-invalid` where writing it again would change its bytes. */
export function decodeText(bytes: Buffer, file: string): string {
  const text = bytes.toString("utf8");
  if (bytes.equals(Buffer.from(text))) return text;
  throw patchError("outcome-invalid", {
    expected: `${file} in UTF-8, so that it can be given back byte for byte`,
    found: `other bytes at line ${lineAt(text, text.indexOf("\u{FFFD}"))}`,
    todo: "Save it in UTF-8. Nothing was changed.",
  });
}

/** The line, counted from 1, that an offset of a text lies in. */
export function lineAt(text: string, offset: number): number {
  return text.slice(0, offset).split("\n").length;
}

/** A text as OpenClaw's repository has it: git, or an editor, may have given its lines the end that Windows uses. */
export function withUnixLines(text: string): string {
  return text.replaceAll("\r\n", "\n");
}

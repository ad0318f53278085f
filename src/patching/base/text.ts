import { patchError } from "./errors.ts";

/** The text of a file of OpenClaw. Throws `outcome-invalid` where writing it again would change its bytes. */
export function textOf(bytes: Buffer, file: string): string {
  const text = bytes.toString("utf8");
  if (bytes.equals(Buffer.from(text))) return text;
  const line = text.slice(0, text.indexOf("\u{FFFD}")).split("\n").length;
  throw patchError("outcome-invalid", {
    expected: `${file} in UTF-8, so that it can be given back byte for byte`,
    found: `other bytes at line ${line}`,
    todo: "Save it in UTF-8. Nothing was changed.",
  });
}

/** The packages that src imports beside those of MCP. They are bundled, and so no dependencies of the published package. */
export const BUNDLED: readonly string[] = [
  "@sveltejs/acorn-typescript",
  "acorn",
  "canonicalize",
  "commander",
  "diff",
  "kysely",
  "magic-string",
  "pg",
  "rfc6902",
  "s3mini",
  "typebox",
  "uuid",
];

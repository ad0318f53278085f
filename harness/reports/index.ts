/** What people have reported of providers that refuse a history, each with a provider that refuses as theirs did. */
import type { PlayedCase } from "../played/case.ts";
import { ANSWER_REPORTS } from "./answers.ts";
import { ENDPOINT_REPORTS } from "./endpoints.ts";
import { FILTER_REPORTS } from "./filters.ts";
import { PICTURE_REPORTS } from "./pictures.ts";
import { SIGNATURE_REPORTS } from "./signatures.ts";
import { TEXT_REPORTS } from "./texts.ts";

export const REPORTS: readonly PlayedCase[] = [
  ...PICTURE_REPORTS,
  ...ANSWER_REPORTS,
  ...ENDPOINT_REPORTS,
  ...FILTER_REPORTS,
  ...SIGNATURE_REPORTS,
  ...TEXT_REPORTS,
];

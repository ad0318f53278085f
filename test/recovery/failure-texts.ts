import type { FailureText } from "./failure-text.ts";
import { HISTORY_ANTHROPIC } from "./history-anthropic.ts";
import { HISTORY_GOOGLE_AWS } from "./history-google-aws.ts";
import { HISTORY_OPENAI } from "./history-openai.ts";
import { PICTURES, ROLES, TOO_LONG_ELSEWHERE } from "./route-texts.ts";
import { REPORTED_ACCESS, REPORTED_OVERLOAD } from "./reports/access.ts";
import { REPORTED_HISTORY, REPORTED_TEMPLATES, REPORTED_UNKNOWN } from "./reports/history.ts";
import { REPORTED_MEDIA } from "./reports/media.ts";
import { REPORTED_OTHERS } from "./reports/others.ts";
import { REPORTED_SIZE } from "./reports/size.ts";
import { FILTERED, NO_ACCESS, OTHERS, OVERLOADED, TOO_LONG } from "./not-history.ts";

/** Real error texts of every kind of failure, each with where it comes from and what it is about. */
export const FAILURE_TEXTS: readonly FailureText[] = [
  ...HISTORY_ANTHROPIC,
  ...HISTORY_OPENAI,
  ...HISTORY_GOOGLE_AWS,
  ...FILTERED,
  ...OVERLOADED,
  ...TOO_LONG,
  ...NO_ACCESS,
  ...OTHERS,
  ...PICTURES,
  ...ROLES,
  ...TOO_LONG_ELSEWHERE,
  ...REPORTED_ACCESS,
  ...REPORTED_OTHERS,
  ...REPORTED_OVERLOAD,
  ...REPORTED_HISTORY,
  ...REPORTED_TEMPLATES,
  ...REPORTED_UNKNOWN,
  ...REPORTED_MEDIA,
  ...REPORTED_SIZE,
];

/** All cases of the corpus, one list per class of damage. */
import type { CaseSpec } from "../builder.ts";
import { historyLimit } from "./a-history-limit.ts";
import { compactions } from "./b-compaction.ts";
import { interrupted } from "./c-interrupted.ts";
import { missing } from "./d-missing-result.ts";
import { interleaved } from "./e-interleaved.ts";
import { duplicates } from "./f-duplicates.ts";
import { callFields } from "./g-call-fields.ts";
import { emptyContent } from "./h-empty-content.ts";
import { roleOrder } from "./i-role-order.ts";
import { thinkingBlocks } from "./j-thinking.ts";
import { images } from "./k-images.ts";
import { fileLevel } from "./l-file.ts";
import { foreignBlocks } from "./p-foreign-blocks.ts";
import { incidents } from "./q-incidents.ts";
import { mixtures } from "./x-mixtures.ts";

export const CASES: CaseSpec[] = [
  historyLimit,
  compactions,
  interrupted,
  missing,
  interleaved,
  duplicates,
  callFields,
  emptyContent,
  roleOrder,
  thinkingBlocks,
  images,
  fileLevel,
  foreignBlocks,
  incidents,
  mixtures,
].flat();

/** Bodies of the families that only users of the library and future releases send, one list per family. */
import { anthropicServerTools } from "./anthropic-server-tools.ts";
import { anthropicPictures } from "./anthropic-pictures.ts";
import { cacheMarks } from "./cache-marks.ts";
import { bedrockModels } from "./bedrock-models.ts";
import type { BodyCase } from "./case.ts";
import { responsesItems } from "./responses-items.ts";

export const BODY_CASES: BodyCase[] = [
  anthropicServerTools,
  anthropicPictures,
  cacheMarks,
  responsesItems,
  bedrockModels,
].flat();

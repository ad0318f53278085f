import type { StoredMessage } from "../openclaw/transcript.ts";
import type { ModelApi } from "../openclaw/types.ts";
import { makeMark } from "../played/case.ts";
import { JPEG, makePng } from "../played/pictures.ts";
import { answer, call, image, madeBy, result, user } from "../played/rows.ts";
import type { Random } from "./random.ts";

const TOOLS = ["read", "exec", "browser"];

/** A valid history of 3 to 14 rounds, some with calls, some with pictures, in the form of this API. */
export function randomHistory(random: Random, api: ModelApi, tag: string): StoredMessage[] {
  const origin = madeBy(api);
  return Array.from({ length: 3 + random.upTo(12) }, (_, at): StoredMessage[] => {
    const n = String(at).padStart(2, "0");
    const mark = (name: string): string => makeMark(tag, `${name}${n}`);
    const asked = random.oneIn(6)
      ? user([`Look at this, ${mark("asked")}`, image(JPEG, "image/jpeg")])
      : user(`Question ${n}, ${mark("asked")}`);
    const calls = random.oneIn(3)
      ? []
      : Array.from({ length: 1 + random.upTo(2) }, (__, nth) => ({
          id: makeId(api, `${n}${nth}`),
          tool: random.one(TOOLS),
          word: `${nth}`,
          hasPicture: random.oneIn(6),
        }));
    const rounds = calls.flatMap(({ id, tool, word, hasPicture }): StoredMessage[] => [
      answer(origin, [...(random.oneIn(3) ? ["I look."] : []), call(id, tool, { path: mark(`path${word}x`) })]),
      result(id, tool, [
        `${mark(`found${word}x`)} ${"a line of it ".repeat(random.upTo(20))}`,
        ...(hasPicture ? [image(makePng(64, 48, id), "image/png")] : []),
      ]),
    ]);
    return [asked, ...rounds, answer(origin, `Answer ${n}, ${mark("said")}`)];
  }).flat();
}

function makeId(api: ModelApi, name: string): string {
  return api.startsWith("openai") ? `call_${name.padStart(20, "A")}` : `toolu_01${name.padStart(22, "A")}`;
}

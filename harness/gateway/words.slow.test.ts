import { describe } from "vitest";
import { BASE_RELEASES } from "../openclaw/releases.ts";
import { sharePeopled } from "./peopled.ts";
import { silence } from "./silence-cases.ts";
import { endsInWords, endsInWordsInTime, HISTORIES } from "./words-cases.ts";

// All kinds over a client of 2026.9.6: words.heavy.test.ts.
describe.each(BASE_RELEASES)("people and a patched gateway of OpenClaw %s", (release) => {
  const peopled = sharePeopled(release, HISTORIES);
  endsInWords(peopled, "channel");
  endsInWords(peopled, "client", release === "2026.2.3" ? /./ : /^(?:nothing but|the sign|a full window before)/);
  endsInWordsInTime(peopled);
  silence(peopled, release);
});

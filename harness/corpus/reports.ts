/**
 * The public reports that name a shape (January to September 2026), by class, and why a few have no case of their own.
 * The test holds every one of them against the cases.
 */
export const REPORTS: Record<string, number[]> = {
  "A history limit": [4650, 13896, 38370, 25411, 52024],
  "B compaction": [
    4739, 5128, 7527, 9672, 9724, 8525, 11087, 15691, 16095, 30044, 93321, 93320, 88561, 88956, 74907, 58924, 54410,
  ],
  "C interrupted": [
    4277, 4475, 5481, 6157, 8264, 8536, 9769, 9958, 9964, 10106, 12112, 14322, 16823, 26193, 31625, 50059, 112029,
    112030, 106963,
  ],
  "D missing result": [5430, 10310, 13704, 29103, 31071, 32933, 71380, 79637, 77642],
  "E interleaved": [8221, 9281, 27150, 27356, 7694],
  "F duplicates": [40897, 40996, 109443, 121146],
  "G call fields": [
    12277, 18484, 21985, 24649, 19742, 24702, 27178, 56021, 67620, 52548, 57672, 5048, 5957, 5857, 110956,
  ],
  "H empty content": [210, 11963, 71572, 72899, 73472, 94278],
  "I role order": [998, 6655, 37546, 33177, 33186, 72865, 75395, 77228, 76829],
  "J thinking": [
    8664, 84430, 85870, 91501, 120596, 94534, 94992, 18428, 19582, 22114, 58967, 36157, 80452, 63397, 72127, 71725,
    58235, 71050, 71160, 71455, 72044, 82161, 83135, 70565, 70996,
  ],
  "K images": [19622, 11180, 19997],
  "L file": [64287, 89037, 100644, 84059, 86508, 86845, 87183, 88703, 107873, 154277, 155340, 155021, 156382, 142788],
};

const CONCURRENT = "two writers at once: a race of a running gateway, not a state of a transcript";
const MIGRATION = "a migration that halts over leftover files: no transcript is damaged";

/** Reports without a case, and the reason. */
export const LEFT_OUT: Record<number, string> = {
  10106:
    "the report shows no transcript; its release and error are those of the cases c-aborted-half-call and b-aborted-partial-kept-by-compaction",
  37546: "the report does not show the shape",
  11180: "an image above 5 MB would be larger than the rest of the corpus; size is not history",
  84059: CONCURRENT,
  86508: CONCURRENT,
  86845: CONCURRENT,
  87183: CONCURRENT,
  88703: CONCURRENT,
  107873: CONCURRENT,
  154277: MIGRATION,
  155340: MIGRATION,
  155021: MIGRATION,
  156382: MIGRATION,
  142788: MIGRATION,
};

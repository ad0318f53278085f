import type { Saying } from "./saying.ts";

// Refusals that name how large a picture a route takes, and how many: the first group is the number.

/** How many pictures a request may have. */
export const MOST_PICTURES: readonly Saying[] = [
  ["vLLM", /\bat most (\d{1,5}) images?(?:\(s\))? may be provided/],
  ["Anthropic", /too much media: \d{1,6} document pages? \+ \d{1,6} images? > (\d{1,5})/],
  ["Anthropic", /too many images and documents: \d{1,6} \+ \d{1,6} > (\d{1,5})/],
  ["OpenAI", /too many images in (?:the )?(?:request|message)[.,:]? max(?:imum)?(?: allowed)?(?: is|:) ?(\d{1,5})/],
  ["Groq", /too many images provided\. this model supports up to (\d{1,5}) images?/],
  ["GitHub Copilot", /too many images.{0,80}supports a maximum of (\d{1,5}) images?/],
  ["Meta", /request contains \d{1,6} images?, exceeding the maximum of (\d{1,5})/],
  ["SGLang", /image count \d{1,6} exceeds limit (\d{1,5})/],
];

/** How large a picture may be, in bytes of base64. */
export const LARGEST_PICTURE: readonly Saying[] = [
  ["Anthropic", /image exceeds .{0,40}maximum: \d{1,12} bytes > (\d{1,12}) bytes/],
];

/** How long the sides of a picture may be, in pixels. */
export const LONGEST_SIDE: readonly Saying[] = [
  ["Anthropic", /image dimensions exceed max allowed size: (\d{2,5}) pixels/],
];

/** The same for a picture in a request with many. */
export const LONGEST_SIDE_OF_MANY: readonly Saying[] = [
  ["Anthropic", /image dimensions exceed max allowed size for many-image requests: (\d{2,5}) pixels/],
];

/** The refused picture is too large; the words need not name a number. */
export const TOO_LARGE_PICTURE: readonly Saying[] = [
  ["Anthropic", /image exceeds .{0,40}maximum|image dimensions exceed/],
  ["GitHub Copilot", /image or document is too large/],
  ["OpenAI, xAI", /\bimages? (?:is|are|was|file is|size is) too (?:large|big)\b/],
  ["OpenAI, Bedrock", /\bimages? (?:file )?(?:size )?exceeds (?:the )?(?:maximum|max|limit)/],
];

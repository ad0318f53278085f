import { tooLargeSample } from "./sample.ts";

tooLargeSample("2026.9.6", [
  ["page", "openai-completions", 1],
  ["page", "google-generative-ai", 1],
]);

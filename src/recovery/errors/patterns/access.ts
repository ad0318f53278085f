import type { Saying } from "./saying.ts";

/** Keys, permissions, billing and models. Some providers report these with status 400. */
export const ACCESS: readonly Saying[] = [
  ["Anthropic", /credit balance|api usage limits?|out of extra usage/],
  ["OpenAI", /insufficient[_ ]quota/],
  ["DeepSeek, Z.ai", /insufficient[_ ]balance/],
  ["OpenRouter", /insufficient[_ ]credits?|requires more credits|key limit exceeded/],
  ["xAI", /used all available credits/],
  ["Venice", /insufficient [\w ]{1,30} balance/],
  ["Vercel", /insufficient[_ ]funds/],
  ["OpenAI, Gemini", /exceeded your current/],
  ["several", /\bbilling/],
  ["Codex", /usage[_ ]limit[_ ](?:has been )?(?:reached|exceeded)/],
  ["several", /invalid (?:x-)?api[ -]?key/],
  ["OpenAI, xAI", /incorrect api key/],
  ["Gemini", /api key (?:not valid|is invalid|expired|not found)/],
  ["pi-ai", /(?:no|missing) api key/],
  ["several", /unauthori[sz]ed|authentication|\bforbidden\b/],
  ["Anthropic", /token has expired|permission_error|organization has been disabled/],
  ["Bedrock", /security token included|not authorized to invoke|: operation not allowed/],
  ["Gemini", /permission[_ ]denied|user location is not supported/],
  ["Bedrock, DashScope", /access[_ ]?denied/],
  ["several", /(?:do(?:es)?nt|do(?:es)? not) have (?:access|permission)/],
  ["OpenAI", /organization must be verified|country, region, or territory not supported/],
  ["several", /\bmodels?:? ?[\w./:@-]{1,120} (?:does not exist|(?:was |is )?not found)/],
  ["several", /\bmodels?:? ?[\w./:@-]{1,120} (?:is no longer available|is not available)/],
  ["several", /(?:invalid|unknown|unsupported) model\b/],
  ["OpenRouter", /not a valid model|no endpoints found matching|no allowed providers are available/],
  ["GitHub Copilot", /requested model is not supported|model is not supported for this request/],
  ["GitHub Copilot", /\bmodel [\w./:-]{1,120} is not accessible via/],
  ["Codex", /model is not supported when using/],
  ["Bedrock", /model identifier is invalid|on-demand throughput/],
  ["Azure", /operation does not work with the specified model|deployment for this resource does not exist/],
  ["Vertex", /model does not support chatcompletions|is not servable in region/],
  ["xAI", /not available on this endpoint/],
  ["Anthropic", /not_found_error/],
];

/** Statuses of such an error, whatever its words. */
export const ACCESS_STATUS: ReadonlySet<number> = new Set([401, 402]);

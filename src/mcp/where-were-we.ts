/** The briefing as a prompt and as resources of the MCP server. */
import {
  ErrorCode,
  McpError,
  type Prompt,
  type ReadResourceResult,
  type Resource,
  type ResourceTemplate,
} from "@modelcontextprotocol/sdk/types.js";
import { nameInline } from "../base/quoted.ts";
import { briefing, ContinuityError } from "../continuity/index.ts";
import type { Projects } from "./projects.ts";

export const PROMPT_NAME = "where_were_we";
const SCHEME = "continuity:";
const MIME = "text/plain";
const TITLE = "Where were we";
const DESCRIPTION =
  "The open work in a few lines: where it was left off, the next step, what blocks it, which steps may have run.";

/** Returns the prompt that inserts the briefing into a conversation. */
export function listedPrompt({ only }: Projects): Prompt {
  return {
    name: PROMPT_NAME,
    title: TITLE,
    description: DESCRIPTION,
    ...(only === undefined
      ? { arguments: [{ name: "project_id", description: "The project that the work belongs to.", required: true }] }
      : {}),
  };
}

/** Returns one resource per recorded project. */
export async function listedResources(projects: Projects): Promise<Resource[]> {
  return (await projects.names()).map((name) => ({
    uri: makeUri(name),
    name: `where we were: ${nameInline(name)}`,
    title: `${TITLE}: ${nameInline(name)}`,
    description: DESCRIPTION,
    mimeType: MIME,
  }));
}

export function listedTemplates({ only }: Projects): ResourceTemplate[] {
  return only === undefined
    ? [
        {
          uriTemplate: `${SCHEME}//{project_id}/where-were-we`,
          name: "where we were",
          title: TITLE,
          description: DESCRIPTION,
          mimeType: MIME,
        },
      ]
    : [];
}

/** Returns the briefing of a project. Throws the protocol's error. */
export async function briefingText(projects: Projects, project_id: unknown): Promise<string> {
  try {
    const project = await projects.project(project_id);
    const work = await project.activeWork();
    await project.toldEnds();
    return (
      briefing(work, { now: Date.now(), reader: project.author }) ??
      `Nothing is recorded for project ${nameInline(project.project_id)} that could be continued.`
    );
  } catch (error) {
    if (error instanceof ContinuityError)
      throw new McpError(
        error.code === "not-found" || error.code === "bad-input" ? ErrorCode.InvalidParams : ErrorCode.InternalError,
        error.message,
      );
    throw error;
  }
}

/**
 * Returns the briefing as a resource. Throws the protocol's error for another address, or for another project's
 * resource.
 */
export async function readBriefing(projects: Projects, uri: string): Promise<ReadResourceResult> {
  const project_id = projectOfUri(uri);
  if (project_id === undefined || (projects.only !== undefined && project_id !== projects.only)) {
    throw new McpError(
      ErrorCode.InvalidParams,
      "expected a resource " +
        `${projects.only === undefined ? `${SCHEME}//<project_id>/where-were-we` : makeUri(projects.only)}; found ` +
        `${nameInline(uri)}.`,
    );
  }
  return { contents: [{ uri, mimeType: MIME, text: await briefingText(projects, project_id) }] };
}

function makeUri(project_id: string): string {
  return `${SCHEME}//${encodeURIComponent(project_id)}/where-were-we`;
}

function projectOfUri(uri: string): string | undefined {
  const [, encoded] = /^continuity:\/\/([^/]+)\/where-were-we$/.exec(uri) ?? [];
  try {
    return encoded === undefined ? undefined : decodeURIComponent(encoded);
  } catch {
    return undefined;
  }
}

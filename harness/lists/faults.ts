/** The conversation of src/conformance, and its faults. */
export { FAULTS, listWords, VALID } from "../../src/conformance/cases/conversation.ts";

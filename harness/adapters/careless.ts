import { APIS, carelessBody } from "../arbitrary/bodies.ts";
import type { Adapter } from "./adapter.ts";

/** The adapter that repairs nothing and looks at no types; its bodies are as corrupt as the history. */
export const careless: Adapter = {
  name: "careless",
  apis: APIS,
  build: async (model, messages) => carelessBody(model.api, messages, model.id),
};

export type { ApiDefinition, DescribedShapes, Wording, Wordings } from './api-definition.js';
export type {
  ApiRoute,
  DescribedAnswer,
  DescribedBody,
  DescribedField,
  DescribedShape,
  HeaderReferences,
  Refusals,
} from './api-route.js';
export type { Vocabulary } from './enum-words.js';
export type { Json, JsonObject, JsonSchema } from './json-schema.js';
export { buildOpenApiDocument } from './openapi-document.js';
export type { PlainName } from './plain-schemas.js';

import type { Cuid } from '../grammar/cuid.js';

/** The answer to `GET /v1/ping`. Source: specification, "GET /v1/ping". */
export interface PingView {
  readonly ok: true;
  /** The organization that the key acts for. */
  readonly organizationId: Cuid;
}

/** An OpenAPI document, as far as its own description goes. Source: OpenAPI 3.1, "OpenAPI Object". */
export interface OpenApiDocument {
  readonly openapi: string;
  readonly info: Record<string, unknown>;
  readonly paths: Record<string, unknown>;
}

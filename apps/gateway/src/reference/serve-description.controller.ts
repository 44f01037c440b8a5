import { Controller, Get, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { ServedDocuments } from './api-documents.js';
import { Declare } from '../http/route-declaration.js';

/**
 * `GET /v1/openapi.json` and `GET /app/openapi.json`, for everybody. Source: docs/api-behaviour.md#versioning,
 * docs/api-behaviour.md#application.
 */
@Controller()
export class ServeDescriptionController {
  constructor(private readonly documents: ServedDocuments) {}

  @Get('v1/openapi.json')
  @Declare({
    access: 'public',
    errors: [],
    docs: {
      operationId: 'getDescription',
      tag: 'System',
      summary: 'Read this description',
      description: 'OpenAPI 3.1; no key is needed. The reference with try-it-out is at `/docs`.',
      requestHeaders: ['If-None-Match'],
      answers: {
        200: { description: 'This description.', body: 'OpenApiDocument', headers: ['ETag'] },
        304: { description: 'Not modified: your cached copy is current.', body: null, headers: ['ETag'] },
      },
    },
  })
  serve(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return this.documents.of('publicApi').answer(request, reply);
  }

  @Get('app/openapi.json')
  @Declare({ access: 'public', errors: [] })
  serveApp(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<FastifyReply> {
    return this.documents.of('appApi').answer(request, reply);
  }
}

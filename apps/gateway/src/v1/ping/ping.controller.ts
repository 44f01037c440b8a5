import { Controller, Get } from '@nestjs/common';
import type { PingView } from '@switchboard/contracts/gateway/http';
import { Principal } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';

/** `/v1/ping`. Source: docs/api-behaviour.md#ping. */
@Controller('v1/ping')
export class PingController {
  @Get()
  @Declare({
    access: 'key',
    scope: null,
    errors: [],
    cost: 1,
    docs: {
      operationId: 'ping',
      tag: 'System',
      summary: 'Check credentials',
      description:
        'Answers with the organization of the key. Needs no scope, and works in every state of the subscription.',
      answers: { 200: { description: 'The key is valid.', body: 'Ping' } },
    },
  })
  ping(@Principal() { organizationId }: Principal): PingView {
    return { ok: true, organizationId };
  }
}

import { Controller, Get, Req } from '@nestjs/common';
import type { PingView } from '@switchboard/contracts/gateway/http';
import { principalOf, type RequestOf } from '../../http/edge-request.js';
import { Declare } from '../../http/route-declaration.js';

/** `GET /v1/ping`: checks credentials. Source: docs/api-behaviour.md#ping. */
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
      description: 'Says whose key it is. Needs no scope, and works whatever the state of the subscription.',
      answers: { 200: { description: 'The key is good.', body: 'Ping' } },
    },
  })
  ping(@Req() request: RequestOf<undefined>): PingView {
    return { ok: true, organizationId: principalOf(request).organizationId };
  }
}

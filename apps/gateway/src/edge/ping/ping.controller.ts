import { Controller, Get, Req } from '@nestjs/common';
import { principalOf, type RequestOf } from '../http/edge-request.js';
import { Declare } from '../http/route-declaration.js';

/** `GET /v1/ping`: checks credentials. Source: specification, "GET /v1/ping". */
@Controller('v1/ping')
export class PingController {
  @Get()
  @Declare({ access: 'key', scope: null, errors: [], cost: 1 })
  ping(@Req() request: RequestOf<undefined>): { ok: true; organizationId: string } {
    return { ok: true, organizationId: principalOf(request).organizationId };
  }
}

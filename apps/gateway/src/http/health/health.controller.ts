import { Controller, Get, Inject, Res } from '@nestjs/common';
import { canServe, readiness, type Readiness, type ReadinessCheck } from '@switchboard/platform';
import type { FastifyReply } from 'fastify';
import { Declare } from '../route-declaration.js';

/** Token of the checks of `/health/ready`, by name. */
export const READINESS_CHECKS = Symbol('ReadinessChecks');

/**
 * `/health/live`: the process answers. `/health/ready`: so do the database and NATS, and it is not stopping.
 * `/health/serving`: it can take requests, NATS or not; the one for load balancers.
 */
@Controller('health')
export class HealthController {
  constructor(@Inject(READINESS_CHECKS) private readonly checks: Readonly<Record<string, ReadinessCheck>>) {}

  @Get('live')
  @Declare({ access: 'public', errors: [] })
  live(): { ok: true } {
    return { ok: true };
  }

  @Get('ready')
  @Declare({ access: 'public', errors: [] })
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    return answered(reply, await readiness(this.checks));
  }

  @Get('serving')
  @Declare({ access: 'public', errors: [] })
  async serving(@Res({ passthrough: true }) reply: FastifyReply): Promise<Readiness> {
    return answered(reply, await canServe(this.checks));
  }
}

function answered(reply: FastifyReply, result: Readiness): Readiness {
  if (!result.ok) reply.code(503);
  return result;
}

import { Controller, Get, Header, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyRequest } from 'fastify';
import { Declare } from '../http/route-declaration.js';
import { isSameSecret } from './signature.policy.js';
import { TakeCallback } from './take-callback.js';

/** Token of the text that the provider shows when it verifies the URL. */
export const VERIFY_TOKEN = Symbol('VerifyToken');

/** The provider sends up to 3 MB; some slack for what it calls a megabyte. */
const CALLBACK_BYTES_MAX = 4 * 1_024 * 1_024;

/** Where the upstream provider calls back. Source: provider's "Webhooks". */
@Controller('upstream/cloud/callbacks')
export class TakeCallbackController {
  constructor(
    private readonly takeCallback: TakeCallback,
    @Inject(VERIFY_TOKEN) private readonly verifyToken: string,
  ) {}

  /** Shows the provider that the URL is ours. */
  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  @Declare({ access: 'public', errors: [gatewayErrors.FORBIDDEN] })
  verify(@Req() request: FastifyRequest): string {
    const query: Readonly<Record<string, unknown>> = { ...Object(request.query) };
    const challenge = query['hub.challenge'];
    const isOurs = isSameSecret(query['hub.verify_token'], this.verifyToken);
    if (query['hub.mode'] !== 'subscribe' || !isOurs || typeof challenge !== 'string') {
      throw new AppError(gatewayErrors.FORBIDDEN, 'The verification of the callback URL failed');
    }
    return challenge;
  }

  /** Answers 200 once every item is committed. */
  @Post()
  @HttpCode(200)
  @Declare({ access: 'public', errors: [gatewayErrors.FORBIDDEN], rawBodyBytesMax: CALLBACK_BYTES_MAX })
  async take(@Req() request: FastifyRequest): Promise<Record<string, never>> {
    const body = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0);
    await this.takeCallback.take(body, request.headers['x-hub-signature-256']);
    return {};
  }
}

import { Body, Controller, Get, Header, Headers, HttpCode, Inject, Post, Query } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { GATEWAY_CONFIG, type GatewayConfig } from '../gateway.config.js';
import { Declare } from '../http/route-declaration.js';
import { isSameSecret, isSignature } from './signature.policy.js';
import { notSigned, TakeCallback } from './take-callback.js';

/** The provider sends up to 3 MB; some slack for what it calls a megabyte. */
const CALLBACK_BYTES_MAX = 4 * 1_024 * 1_024;
const SIGNATURE_HEADER = 'x-hub-signature-256';

/** Where the upstream provider calls back. Source: provider's "Webhooks". */
@Controller('upstream/cloud/callbacks')
export class TakeCallbackController {
  constructor(
    private readonly takeCallback: TakeCallback,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'CLOUD_VERIFY_TOKEN'>,
  ) {}

  /** Shows the provider that the URL is ours. */
  @Get()
  @Header('content-type', 'text/plain; charset=utf-8')
  @Declare({ access: 'public', errors: [gatewayErrors.FORBIDDEN] })
  verify(@Query() query: Readonly<Record<string, unknown>>): string {
    const challenge = query['hub.challenge'];
    const isOurs = isSameSecret(query['hub.verify_token'], this.config.CLOUD_VERIFY_TOKEN);
    if (query['hub.mode'] !== 'subscribe' || !isOurs || typeof challenge !== 'string') {
      throw new AppError(gatewayErrors.FORBIDDEN, 'The verification of the callback URL failed');
    }
    return challenge;
  }

  /** Answers 200 once every item is committed. */
  @Post()
  @HttpCode(200)
  @Declare({
    access: 'public',
    errors: [gatewayErrors.FORBIDDEN],
    rawBodyBytesMax: CALLBACK_BYTES_MAX,
    refusalOfHeaders: ({ [SIGNATURE_HEADER]: signature }) => (isSignature(signature) ? null : notSigned()),
  })
  async take(@Body() body: unknown, @Headers(SIGNATURE_HEADER) signature: unknown): Promise<Record<string, never>> {
    await this.takeCallback.take(Buffer.isBuffer(body) ? body : Buffer.alloc(0), signature);
    return {};
  }
}

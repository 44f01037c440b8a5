import { Body, Controller, Get, HttpCode, Inject, Post, Res } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { NewSecondFactorView, RecoveryCodesView, SecondFactorView } from '@switchboard/contracts/gateway/http';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import type { FastifyReply } from 'fastify';
import { FailedAttempts } from '../../http/authentication/failed-attempts.js';
import { CurrentSession, Source } from '../../http/request.decorator.js';
import { Declare } from '../../http/route-declaration.js';
import { SessionAnswer } from '../../http/session/session-answer.js';
import { PEOPLE, type People } from '../../identity/people.contract.js';
import {
  BeginSecondFactorBody,
  beginSecondFactorBody,
  EnableSecondFactorBody,
  enableSecondFactorBody,
  SecondFactorProofBody,
  secondFactorProofBody,
} from './second-factor.body.js';

/** `/app/api/second-factor`: the person's own. Source: docs/api-behaviour.md#app-second-factor. */
@Controller('app/api/second-factor')
export class SecondFactorController {
  constructor(
    @Inject(PEOPLE) private readonly people: People,
    private readonly answer: SessionAnswer,
    private readonly failedAttempts: FailedAttempts,
  ) {}

  @Get()
  @Declare({
    access: 'session',
    roles: null,
    isOpenWithoutSecondFactor: true,
    errors: [],
    docs: {
      operationId: 'getSecondFactor',
      tag: 'Second factor',
      summary: 'Read your second factor',
      description: 'Whether signing in asks for a code, and whether the organization requires it.',
      answers: { 200: { description: 'The second factor.', body: 'SecondFactor' } },
    },
  })
  async get(@CurrentSession() session: CurrentSession): Promise<SecondFactorView> {
    const { enabledAt, ...state } = await this.people.secondFactors.state(session);
    return { isEnabled: enabledAt !== null, ...state, enabledAt: enabledAt?.toISOString() ?? null };
  }

  @Post()
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: null,
    isOpenWithoutSecondFactor: true,
    errors: [serviceErrors.CONFLICT],
    docs: {
      operationId: 'beginSecondFactor',
      tag: 'Second factor',
      summary: 'Start the enrolment of a second factor',
      description:
        'Makes a seed for an authenticator app (TOTP, RFC 6238: SHA-1, six digits, 30 seconds) and shows it once. Nothing changes until its first code has been given; beginning again makes another seed.',
      body: beginSecondFactorBody,
      answers: { 200: { description: 'The seed.', body: 'NewSecondFactor' } },
    },
  })
  begin(
    @CurrentSession() session: CurrentSession,
    @Body() { password }: BeginSecondFactorBody,
    @Source() source: Source,
  ): Promise<NewSecondFactorView> {
    return this.delayed(source, () => this.people.secondFactors.begin(session, password, source));
  }

  @Post('enable')
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: null,
    isOpenWithoutSecondFactor: true,
    errors: [serviceErrors.CONFLICT, gatewayErrors.SECOND_FACTOR_INVALID],
    docs: {
      operationId: 'enableSecondFactor',
      tag: 'Second factor',
      summary: 'Enable the second factor',
      description:
        'From now on signing in asks for a code. Every other session of the person ends. The answer shows ten recovery codes once; each takes the place of a code, once.',
      body: enableSecondFactorBody,
      answers: { 200: { description: 'The recovery codes.', body: 'RecoveryCodes' } },
    },
  })
  async enable(
    @CurrentSession() session: CurrentSession,
    @Body() { code }: EnableSecondFactorBody,
    @Source() source: Source,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<RecoveryCodesView> {
    const enable = () => this.people.secondFactors.enable(session, code, source);
    const { recoveryCodes, deviceCookie } = await this.delayed(source, enable);
    this.answer.remember(reply, deviceCookie);
    return { recoveryCodes };
  }

  @Post('disable')
  @HttpCode(204)
  @Declare({
    access: 'session',
    roles: null,
    errors: [serviceErrors.CONFLICT, gatewayErrors.SECOND_FACTOR_INVALID],
    docs: {
      operationId: 'disableSecondFactor',
      tag: 'Second factor',
      summary: 'Disable the second factor',
      description: 'Signing in asks for the password alone. In an organization that requires one, enrol anew.',
      body: secondFactorProofBody,
      answers: { 204: { description: 'It is gone, with its recovery codes.', body: null } },
    },
  })
  async disable(
    @CurrentSession() session: CurrentSession,
    @Body() proof: SecondFactorProofBody,
    @Source() source: Source,
  ): Promise<void> {
    await this.delayed(source, () => this.people.secondFactors.disable(session, proof, source));
  }

  @Post('recovery-codes')
  @HttpCode(200)
  @Declare({
    access: 'session',
    roles: null,
    errors: [serviceErrors.CONFLICT, gatewayErrors.SECOND_FACTOR_INVALID],
    docs: {
      operationId: 'renewRecoveryCodes',
      tag: 'Second factor',
      summary: 'Make new recovery codes',
      description: 'Ten new ones, shown once; the former ones are no longer valid.',
      body: secondFactorProofBody,
      answers: { 200: { description: 'The recovery codes.', body: 'RecoveryCodes' } },
    },
  })
  async renewRecoveryCodes(
    @CurrentSession() session: CurrentSession,
    @Body() proof: SecondFactorProofBody,
    @Source() source: Source,
  ): Promise<RecoveryCodesView> {
    const renew = () => this.people.secondFactors.renewRecoveryCodes(session, proof, source);
    return { recoveryCodes: await this.delayed(source, renew) };
  }

  private delayed<Result>(source: Source, work: () => Promise<Result>): Promise<Result> {
    return this.failedAttempts.delayRefusal(source, work);
  }
}

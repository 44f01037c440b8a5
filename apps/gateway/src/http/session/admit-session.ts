import { context } from '@opentelemetry/api';
import { Inject, Injectable } from '@nestjs/common';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyRequest } from 'fastify';
import { GATEWAY_CONFIG, type GatewayConfig } from '../../gateway.config.js';
import { PEOPLE, type People, type Sessions } from '../../identity/people.contract.js';
import { FailedAttempts } from '../authentication/failed-attempts.js';
import type { RouteDeclaration } from '../route-declaration.js';
import { csrfTokenOf, isCsrfToken, isSameOrigin } from './csrf.policy.js';
import { SessionCookie } from './session-cookie.js';
import { SessionRate } from './session-rate.js';

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Admits requests of signed-in people, and keeps pages of other sites from acting through their browsers. */
@Injectable()
export class AdmitSession {
  constructor(
    @Inject(PEOPLE) private readonly people: Pick<People, 'paidFor'> & { readonly sessions: Pick<Sessions, 'find'> },
    private readonly sessionCookie: SessionCookie,
    private readonly failedAttempts: FailedAttempts,
    private readonly rate: SessionRate,
    @Inject(GATEWAY_CONFIG) private readonly config: Pick<GatewayConfig, 'PUBLIC_BASE_URL'>,
  ) {}

  /**
   * Refuses with 401 without a live session, with 429 a person who asks too often, with 403 when another site's page may have
   * made the request, when the person lacks the second factor that the organization requires, or when the role is not
   * enough.
   *
   * @param declaration absent for a route that does not exist: 404 needs a session as well
   * @param cost what the request takes of the session's rate: 0 for one that was admitted before
   * @throws AppError
   */
  async admit(declaration: RouteDeclaration | undefined, request: FastifyRequest, cost: 0 | 1 = 1): Promise<void> {
    const { state } = request;
    const secret = this.sessionCookie.read(request);
    if (secret === null) throw new AppError(gatewayErrors.UNAUTHORIZED, SIGN_IN_FIRST);
    const signedIn = await context.with(state.traceContext, () => this.people.sessions.find(secret, state.address));
    if (!signedIn) {
      const attempt = { address: state.address, arrivedMs: state.startedMs };
      throw await this.failedAttempts.refusalFor(attempt, SIGN_IN_FIRST);
    }
    state.organizationId = signedIn.organization.id;
    state.session = { ...signedIn, csrfToken: csrfTokenOf(secret) };
    if (cost > 0) this.rate.count(signedIn.sessionId, signedIn.user.id);
    if (declaration?.access !== 'session') return;
    if (!SAFE_METHODS.has(request.method)) {
      this.refuseOtherOrigins(request);
      if (!isCsrfToken(request.headers['x-csrf-token'], secret)) {
        throw new AppError(gatewayErrors.FORBIDDEN, 'The header `X-CSRF-Token` must be the token of the session');
      }
    }
    const { isEnabled, isRequired } = signedIn.secondFactor;
    if (isRequired && !isEnabled && declaration.isOpenWithoutSecondFactor !== true) {
      throw new AppError(gatewayErrors.SECOND_FACTOR_ENROLMENT_REQUIRED);
    }
    const { roles } = declaration;
    if (roles !== null && !roles.includes(signedIn.role)) {
      throw new AppError(gatewayErrors.FORBIDDEN, `The role must be ${roles.join(' or ')}`);
    }
    const { paidScope } = declaration;
    // Its refusal comes after those of the fields: see `validate` of the lifecycle.
    if (paidScope !== undefined) state.paid = await this.people.paidFor(signedIn.organization.id, paidScope);
  }

  /** @throws AppError FORBIDDEN for a change that a page of another site asks for */
  refuseOtherOrigins(request: FastifyRequest): void {
    const { origin, referer } = request.headers;
    const isSecure = this.sessionCookie.isSecure(request);
    const own = { host: request.host, isSecure, publicBaseUrl: this.config.PUBLIC_BASE_URL };
    if (!SAFE_METHODS.has(request.method) && !isSameOrigin({ origin, referer }, own)) {
      throw new AppError(gatewayErrors.FORBIDDEN, 'The header `Origin` must be this site');
    }
  }
}

const SIGN_IN_FIRST = 'Sign in first';

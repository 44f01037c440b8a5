import { context } from '@opentelemetry/api';
import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import type { FastifyRequest } from 'fastify';
import type { Sessions } from '../../identity/people.contract.js';
import type { FailedKeys } from '../authentication/failed-keys.js';
import type { RouteDeclaration } from '../route-declaration.js';
import { csrfTokenOf, isCsrfToken, isSameOrigin } from './csrf.policy.js';
import type { SessionCookie } from './session-cookie.js';

/** What admission by session needs. */
export interface AdmitSessionParts {
  readonly sessions: Pick<Sessions, 'find'>;
  readonly sessionCookie: SessionCookie;
  readonly failedKeys: FailedKeys;
  readonly publicBaseUrl: string;
}

const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/**
 * Lets a request of a signed-in person in: 401 without a session that stands, 403 when another site's page may have made
 * it, 403 when the role does not reach.
 *
 * @param declaration absent for a route that does not exist, which is told to nobody without a session
 * @throws AppError
 */
export async function admitSession(
  parts: AdmitSessionParts,
  declaration: RouteDeclaration | undefined,
  request: FastifyRequest,
): Promise<void> {
  const { edge } = request;
  const secret = parts.sessionCookie.read(request);
  if (secret === null) throw new AppError(gatewayErrors.UNAUTHORIZED, SIGN_IN_FIRST);
  const signedIn = await context.with(edge.context, () => parts.sessions.find(secret));
  if (!signedIn) throw await parts.failedKeys.refusalFor(request.ip, edge.startedMs, SIGN_IN_FIRST);
  edge.organizationId = signedIn.organization.id;
  edge.session = { ...signedIn, csrfToken: csrfTokenOf(secret) };
  if (declaration?.access !== 'session') return;
  if (!SAFE_METHODS.has(request.method)) {
    refuseOtherOrigins(parts, request);
    if (!isCsrfToken(request.headers['x-csrf-token'], secret)) {
      throw new AppError(gatewayErrors.FORBIDDEN, 'The header `X-CSRF-Token` must be the token of the session');
    }
  }
  const { roles } = declaration;
  if (roles !== null && !roles.includes(signedIn.role)) {
    throw new AppError(gatewayErrors.FORBIDDEN, `This needs the role ${roles.join(' or ')}`);
  }
}

/**
 * Keeps pages of other sites from acting through the browser of a person who is here.
 *
 * @throws AppError FORBIDDEN
 */
export function refuseOtherOrigins(
  { sessionCookie, publicBaseUrl }: Pick<AdmitSessionParts, 'sessionCookie' | 'publicBaseUrl'>,
  request: FastifyRequest,
): void {
  const { origin, referer } = request.headers;
  const own = { host: request.host, isSecure: sessionCookie.isSecure(request), publicBaseUrl };
  if (!SAFE_METHODS.has(request.method) && !isSameOrigin({ origin, referer }, own)) {
    throw new AppError(gatewayErrors.FORBIDDEN, 'The header `Origin` must be this site');
  }
}

const SIGN_IN_FIRST = 'Sign in first';

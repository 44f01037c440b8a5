import { gatewayErrors } from '@switchboard/contracts/gateway/errors';
import type { ErrorDefinition } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { bodyUseOf, type RouteDeclaration } from '../http/route-declaration.js';

/** Whatever a request asks for, its head or the service can be the reason. */
const failures: readonly ErrorDefinition[] = [
  gatewayErrors.REQUEST_TIMEOUT,
  gatewayErrors.URI_TOO_LONG,
  gatewayErrors.HEADERS_TOO_LARGE,
  serviceErrors.INTERNAL,
  serviceErrors.SERVICE_UNAVAILABLE,
];

/** The codes with which any route of a kind can refuse. Source: docs/api-behaviour.md#errors-order. */
export function generalErrors(method: string, declaration: RouteDeclaration): readonly ErrorDefinition[] {
  const { access } = declaration;
  const bodyUse = method === 'GET' ? null : bodyUseOf(declaration);
  const isScoped = access === 'key' && declaration.scope !== null;
  const isSold = isScoped && declaration.payment !== 'nothing';
  return [
    serviceErrors.VALIDATION_FAILED,
    ...(bodyUse === 'json' || bodyUse === 'stream'
      ? [gatewayErrors.MALFORMED_BODY, gatewayErrors.UNSUPPORTED_MEDIA_TYPE]
      : []),
    ...(bodyUse === null ? [] : [gatewayErrors.PAYLOAD_TOO_LARGE]),
    ...(access === 'key' || access === 'session' ? [gatewayErrors.UNAUTHORIZED, gatewayErrors.RATE_LIMITED] : []),
    ...(isGuarded(method, declaration) ? [gatewayErrors.FORBIDDEN] : []),
    ...(access === 'session' && declaration.isOpenWithoutSecondFactor !== true
      ? [gatewayErrors.SECOND_FACTOR_ENROLMENT_REQUIRED]
      : []),
    ...(isScoped ? [gatewayErrors.INSUFFICIENT_SCOPE] : []),
    ...(isSold ? [serviceErrors.PAYMENT_REQUIRED] : []),
    ...(access === 'session' && declaration.paidScope !== undefined ? [serviceErrors.PAYMENT_REQUIRED] : []),
    ...failures,
  ];
}

/** The codes of a request that no route takes; its key or session is checked first. */
export const unroutedErrors: readonly ErrorDefinition[] = [
  serviceErrors.VALIDATION_FAILED,
  gatewayErrors.UNAUTHORIZED,
  gatewayErrors.RATE_LIMITED,
  ...failures,
  serviceErrors.NOT_FOUND,
  gatewayErrors.METHOD_NOT_ALLOWED,
];

/** Requests from another site's page, without a token, or by a role that does not reach are refused. */
function isGuarded(method: string, declaration: RouteDeclaration): boolean {
  const { access } = declaration;
  const acts = method !== 'GET' && (access === 'session' || access === 'visitor');
  return acts || (access === 'session' && declaration.roles !== null);
}

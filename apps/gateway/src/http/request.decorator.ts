import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Principal as PrincipalOfRpc } from '@switchboard/contracts/grammar/principal';
import type { FastifyRequest } from 'fastify';
import type * as audit from '../identity/audit.contract.js';
import type { ActSource } from '../identity/signed-in.contract.js';
import { readIdempotencyKey } from './idempotency-key.policy.js';
import type { CurrentSession as Session, IdempotentRequest } from './request-state.js';
import { readDeviceCookie } from './session/device-cookie.js';

/*
 * Parameters of handlers that come from admission. `@Body()`, `@Query()` and `@Param('id')` are Nest's own: the hooks have
 * put the validated values in their places (`request-input.ts`), so that no pipe validates a second time.
 */

/** On whose behalf the handler acts: a key, or a signed-in user. */
export type Principal = PrincipalOfRpc;
export const Principal = fromRequest(principalOf);

/** Messages that the plan of the organization has in a month, for a key as for a member. */
export type MessagesPerMonth = number;
export const MessagesPerMonth = fromRequest(({ state }) => required(state.admitted ?? state.paid).messagesPerMonth);

/** The session of the request. */
export type CurrentSession = Session;
export const CurrentSession = fromRequest(({ state }) => required(state.session));

/** The `Idempotency-Key` of the request with the hash of its body; null when there is none. */
export type Idempotency = IdempotentRequest | null;
export const Idempotency = fromRequest(({ state }) => state.idempotency);

/** The `Idempotency-Key` of a request whose body is read as a stream; null when there is none. */
export type IdempotencyKey = string | null;
export const IdempotencyKey = fromRequest(({ raw: { headers, rawHeaders } }): string | null =>
  headers['idempotency-key'] === undefined ? null : readIdempotencyKey(rawHeaders),
);

/** Where a request comes from, for the audit log and for the delay of failed attempts. */
export interface Source extends ActSource {
  /** Monotonic milliseconds at which the request arrived. */
  readonly arrivedMs: number;
}
export const Source = fromRequest(sourceOf);

/** Scheme and host that the caller asked, as `https://host`; behind a trusted proxy those that it names. */
export type CallerOrigin = string;
export const CallerOrigin = fromRequest(({ protocol, host }): string => `${protocol}://${host}`);

/** Who acts in which session and from where, for the audit log. */
export type SessionAct = audit.SessionAct;
export const SessionAct = fromRequest((request): audit.SessionAct => {
  const { organization, user, sessionId } = required(request.state.session);
  const actor = { type: 'user', id: user.id, email: user.email } as const;
  const { address, traceId } = sourceOf(request);
  return { organizationId: organization.id, actor, sessionId, address, traceId };
});

/** Who acts and from where, for the audit log: a key, or a signed-in user. */
export type CallerAct = audit.Act;
export const CallerAct = fromRequest((request): audit.Act => {
  const { admitted, session } = request.state;
  const { address, traceId } = sourceOf(request);
  if (admitted) {
    return { organizationId: admitted.organizationId, actor: { type: 'key', id: admitted.keyId }, address, traceId };
  }
  const { organization, user } = required(session);
  const actor = { type: 'user', id: user.id, email: user.email } as const;
  return { organizationId: organization.id, actor, address, traceId };
});

function principalOf({ state: { admitted, session } }: FastifyRequest): Principal {
  if (admitted) {
    const { organizationId, keyId, scopes } = admitted;
    return { organizationId, actor: { type: 'key', keyId }, scopes };
  }
  const { organization, user } = required(session);
  return { organizationId: organization.id, actor: { type: 'user', userId: user.id }, scopes: null };
}

function sourceOf(request: FastifyRequest): Source {
  const { headers, state } = request;
  const browser = { userAgent: headers['user-agent'] ?? null, deviceCookie: readDeviceCookie(request) };
  return { address: state.address, traceId: state.traceId, arrivedMs: state.startedMs, browser };
}

/** @throws Error when a handler asks for what its declared access does not bring: a bug */
function required<Value>(value: Value | null): Value {
  if (value === null) throw new Error('the access that the route declares brings no such parameter');
  return value;
}

function fromRequest<Value>(read: (request: FastifyRequest) => Value): () => ParameterDecorator {
  return createParamDecorator((_data: unknown, context: ExecutionContext) =>
    read(context.switchToHttp().getRequest<FastifyRequest>()),
  );
}

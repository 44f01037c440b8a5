import type { Context, Span } from '@opentelemetry/api';
import type { AppError } from '@switchboard/contracts/grammar/app-error';
import type { KeyedRequest } from '@switchboard/contracts/grammar/keyed-request';
import type { Admitted } from '../identity/admission.contract.js';
import type { SignedIn } from '../identity/signed-in.contract.js';
import type { RouteDeclaration, SharedRoute } from './route-declaration.js';

/** A request with an `Idempotency-Key`: it takes effect once. */
export interface IdempotentRequest extends KeyedRequest {
  /** Of the body's bytes, in hexadecimal. */
  readonly bodyBytesSha256: string;
  /**
   * Why the body or the plan is refused; deferred, because the stored response of the first request comes before it. The
   * handler throws it when nothing is stored, and does not read the body.
   */
  readonly refusal: AppError | null;
}

/** A person's session as handlers see it; its secret stays in the cookie. */
export interface CurrentSession extends SignedIn {
  /** The value that `X-CSRF-Token` must have. */
  readonly csrfToken: string;
}

/** What the gateway keeps of a request next to Fastify's own parts. */
export interface RequestState {
  /** Monotonic milliseconds. */
  readonly startedMs: number;
  /**
   * The caller's, as the socket or a trusted proxy shows it; empty where the connection had gone before its request was read.
   * Read once: a socket that is gone shows none.
   */
  readonly address: string;
  /** See `servedPath`. */
  readonly path: string;
  /** 32 hex digits: `X-Request-Id`. */
  readonly traceId: string;
  readonly span: Span;
  /** The trace; entered again after the body was read, because reading loses it. */
  readonly traceContext: Context;
  /** When the head of an answer that stays open was sent; null for every other answer. */
  answeredMs: number | null;
  /** When admission let it through; monotonic milliseconds. */
  admittedMs: number;
  /** On a route that needs a key. */
  admitted: Admitted | null;
  /** What the organization pays for, on a route for sessions whose declaration asks for it. */
  paid: { readonly refusal: string | null; readonly messagesPerMonth: number } | null;
  /** On a route that needs a session. */
  session: CurrentSession | null;
  /** Known for refused requests of a known key as well. */
  organizationId: string | null;
  keyId: string | null;
  /** The code of its refusal. */
  code: string | null;
  /** Stops the reading of its body and frees its memory; may be called at any time. Null before the reading begins. */
  giveBodyUp: (() => void) | null;
  /** Null without an `Idempotency-Key`, and on a route that takes none. */
  idempotency: IdempotentRequest | null;
}

declare module 'fastify' {
  interface FastifyRequest {
    state: RequestState;
  }
  interface FastifyContextConfig {
    /** As written at the handler. */
    declared?: RouteDeclaration | SharedRoute;
    /** As it is where the route is mounted. */
    declaration?: RouteDeclaration;
  }
}

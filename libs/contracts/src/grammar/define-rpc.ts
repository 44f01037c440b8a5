declare const types: unique symbol;

/** A typed request/reply between services; `Request` and `Response` exist at compile time only. */
export interface RpcDefinition<Request = unknown, Response = unknown> {
  /** NATS subject, `rpc.<owner>.<method>`: outside of every stream's subjects. */
  readonly subject: string;
  readonly owner: string;
  /** Milliseconds that a caller waits for one answer unless it says otherwise. */
  readonly deadlineMs: number;
  /** Whether an answer may be larger than a message of the broker, and comes in several then. */
  readonly inParts: boolean;
  readonly [types]?: { request: Request; response: Response };
}

/** What an rpc's definition says of its request. */
export type RpcRequestOf<Rpc> = Rpc extends RpcDefinition<infer Request, infer _Response> ? Request : never;
/** What an rpc's definition says of its response. */
export type RpcResponseOf<Rpc> = Rpc extends RpcDefinition<infer _Request, infer Response> ? Response : never;

/**
 * Declares an rpc. Within its subject it may only grow by optional fields; anything else is a new method.
 *
 * @param owner the service that answers
 * @param method kebab-case imperative
 * @param options `inParts` for an answer that no limit keeps below a message of the broker; a list has pages instead
 */
export function defineRpc<Request, Response>(
  owner: string,
  method: string,
  options: { readonly deadlineMs: number; readonly inParts?: boolean },
): RpcDefinition<Request, Response> {
  const { deadlineMs, inParts = false } = options;
  return Object.freeze({ subject: `rpc.${owner}.${method}`, owner, deadlineMs, inParts });
}

/** Why an rpc failed, as it travels: a code of the registry, its sentence and the details of `AppError`. */
export interface RpcFailure {
  readonly code: string;
  readonly message: string;
  readonly retryAfterSeconds?: number;
  readonly messageId?: string;
  readonly upstreamCode?: string;
}

/** What is on the wire in answer to an rpc. */
export type RpcReply<Response> = { readonly ok: Response } | { readonly error: RpcFailure };

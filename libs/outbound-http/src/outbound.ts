import { types } from 'node:util';

/** A POST to a customer's URL. */
export interface OutboundRequest {
  readonly url: string;
  /** In addition to `content-type`, `user-agent` and `accept-encoding`, which the client sets. */
  readonly headers: Readonly<Record<string, string>>;
  /** Exactly these bytes are sent. */
  readonly body: Uint8Array;
  /** Ends the request early, with `aborted`. */
  readonly signal?: AbortSignal;
}

/**
 * Why no complete response came, in the words that a customer sees.
 *
 * A closed port, a silent one, one that speaks another protocol and a failed TLS handshake are all `no response`: otherwise
 * a customer could find out which ports are open.
 */
export type OutboundError =
  | 'url not allowed'
  | 'name not resolved'
  | 'no response'
  | 'response incomplete'
  | 'aborted'
  /** Nothing has left, and the receiver has no part in it: an `OutboundThread` is late, or no descriptor is left. */
  | 'never sent'
  /** As that: ours are silent. */
  | 'no name server';

/** How a request ended. */
export type OutboundEnd =
  | {
      readonly state: 'answered';
      /** Any, a redirect's too: none is followed. */
      readonly status: number;
      /** At most 1,024 bytes of UTF-8 without NUL; what comes after them is read up to 8 KB and not kept. */
      readonly body: string;
      /** It was not read to its end, so that its connection was closed. */
      readonly isCut: boolean;
      /** The header `Retry-After`. */
      readonly retryAfter: string | null;
      readonly durationMs: number;
    }
  | {
      readonly state: 'failed';
      readonly error: OutboundError;
      /** For the log alone: open and closed ports differ in it. */
      readonly reason: string;
      /** Where the response began: its status, and what came of its body. */
      readonly status: number | null;
      readonly body: string | null;
      /** The header `Retry-After`, where the response began. */
      readonly retryAfter: string | null;
      readonly durationMs: number;
    };

/** Sends POSTs, each at most once. */
export interface OutboundSender {
  /** Gives up at the deadline. Never rejects. */
  post(request: OutboundRequest): Promise<OutboundEnd>;
}

/** The end of a request without anything of a response. */
export function failed(error: OutboundError, reason: string, durationMs = 0): OutboundEnd {
  return { state: 'failed', error, reason, status: null, body: null, retryAfter: null, durationMs };
}

/** What the log says of an error. */
export function reasonOf(error: unknown): string {
  if (!types.isNativeError(error)) return String(error);
  return 'code' in error && error.code !== undefined ? `${String(error.code)}: ${error.message}` : error.message;
}

/** A connection that the guard refuses, or that this process cannot have. */
export class OutboundRefusal extends Error {
  constructor(
    readonly error: Extract<OutboundError, 'url not allowed' | 'name not resolved' | 'never sent' | 'no name server'>,
    message: string,
  ) {
    super(message);
    this.name = 'OutboundRefusal';
  }
}

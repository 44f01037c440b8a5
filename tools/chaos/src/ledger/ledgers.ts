/** What the caller learned of one send. `text` is unique to it: it finds the message when no id came back. */
export interface Send {
  readonly text: string;
  readonly organizationId: string;
  readonly to: string;
  /** Whether the number was never written to before: such a send needs the contacts service. */
  readonly isFirstTo: boolean;
  /** Milliseconds since 1970, by the harness's clock. */
  readonly startedMs: number;
  readonly endedMs: number;
  readonly outcome: SendOutcome;
}

/** `answered` whole; `reset`: the request went out and no answer came; `refused`: no connection, nothing went out. */
export type SendOutcome =
  | {
      readonly kind: 'answered';
      readonly status: number;
      /** The error's code; null on 2xx and for what is no envelope. */
      readonly code: string | null;
      /** `id` of the body. */
      readonly id: string | null;
      /** `X-Message-Id`. */
      readonly headerId: string | null;
      readonly contactId: string | null;
      readonly conversationId: string | null;
      readonly upstreamMessageId: string | null;
      /** What of the answer the API's description does not know, a sentence each. */
      readonly undescribed: readonly string[];
    }
  | { readonly kind: 'reset' | 'refused'; readonly error: string };

/** The contact that answers named for a number, in one organization. */
export interface AnsweredNumber {
  readonly contactId: string;
  readonly conversationId: string;
}

/** The answers about numbers: `organization number`, then each answer that differs from those before. */
export type ToldNumbers = ReadonlyMap<string, readonly AnsweredNumber[]>;

/** A row of `messaging.message` with its row of `dispatch`, if any. */
export interface StoredMessage {
  readonly id: string;
  readonly organizationId: string;
  readonly conversationId: string;
  readonly contactId: string;
  readonly direction: 'OUTBOUND' | 'INBOUND';
  readonly text: string | null;
  readonly status: 'QUEUED' | 'SENT' | 'DELIVERED' | 'READ' | 'FAILED' | 'RECEIVED';
  readonly upstreamMessageId: string | null;
  readonly errorCode: string | null;
  readonly isSent: boolean;
  readonly dispatch: 'DISPATCHING' | 'RETRY' | 'UNKNOWN' | null;
  /** Accepted before the mark, and tried since: earlier events of it are not in these ledgers. */
  readonly isCarriedOver: boolean;
}

/** A request that the simulator recorded. */
export interface UpstreamRequest {
  readonly reference: string | null;
  /** `open` and `cut` carry no answer, but may have been accepted: then there is a `messageId`. */
  readonly outcome: 'answered' | 'cut' | 'open';
  /** The provider's code of a refusal; null for an acceptance, a cut and a bare fault. */
  readonly refusedWith: number | null;
  readonly messageId: string | null;
}

/** A status that the simulator sent and that was answered 200, by its own record; `id` is the upstream's. */
export interface TakenStatus {
  readonly id: string;
  readonly status: string;
}

/** An event, as a row of an outbox or as the recorder saw it first. */
export interface RecordedEvent {
  readonly id: string;
  readonly subject: string;
  readonly aggregateId: string;
  readonly sequence: number | null;
  /** Of the message that it speaks of; of a callback the reference that it carries. */
  readonly messageId: string | null;
  /** MD5 of the envelope's text: the same event says the same thing each time. */
  readonly digest: string;
}

/** An inbound message that the harness had the simulator tell. */
export interface SentInbound {
  readonly upstreamMessageId: string;
  /** False when the simulator died before it answered: it may or may not have taken it. */
  readonly isCertain: boolean;
}

/** What an audit compares, of one period. */
export interface Ledgers {
  readonly sends: readonly Send[];
  /** The contacts that answers named for numbers: those of `sends`, and over a whole stage those of all before. */
  readonly numbers: ToldNumbers;
  readonly inbound: readonly SentInbound[];
  readonly messages: readonly StoredMessage[];
  /** Rows of `dead_letter`, of every service: consumer and reason. */
  readonly deadLetters: readonly string[];
  /** In the order of their arrival. */
  readonly requests: readonly UpstreamRequest[];
  /** By the upstream's id of a message: the statuses that were taken of it, at any time. */
  readonly taken: ReadonlyMap<string, ReadonlySet<string>>;
  /** Rows of every outbox, in the order of their positions. */
  readonly outbox: readonly (RecordedEvent & { readonly isPublished: boolean })[];
  /** In the order of their first sight. */
  readonly seen: readonly RecordedEvent[];
  /** Events that a consumer of the topology should have applied and has no inbox row of: `consumer event`. */
  readonly unapplied: readonly string[];
  /** The last number that each conversation gave out, for those that events speak of. */
  readonly sequences: ReadonlyMap<string, number>;
}

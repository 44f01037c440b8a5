import type { AttemptKind, AttemptOutcome, DeliveryState, WebhookEvent } from '@switchboard/contracts/webhooks/http';

/** A delivery that is pending; times are milliseconds since 1970 by the database's clock. */
export interface PendingDelivery {
  readonly webhookId: string;
  readonly id: string;
  readonly organizationId: string;
  readonly eventId: string;
  readonly type: WebhookEvent;
  /** Whose first attempts follow one another; empty where there is no order. */
  readonly line: string;
  readonly position: number;
  readonly bodyBytes: number;
  readonly kind: Exclude<AttemptKind, 'TEST'>;
  /** Attempts that have ended. */
  readonly attempts: number;
  /** Of them, those of this round. */
  readonly tries: number;
  readonly dueAtMs: number;
}

/** The attempt of a delivery that is marked to be under way. */
export interface MarkedAttempt {
  readonly delivery: PendingDelivery;
  readonly id: string;
  readonly beganAtMs: number;
  /** It is over then, whatever becomes known of it. */
  readonly leaseUntilMs: number;
}

/** Places among first attempts: positions of those that are no replay, and of those of replays. */
export interface FirstPlaces {
  readonly firsts: number;
  readonly replays: number;
}

/** What a worker reads of a webhook's deliveries: the first of each order. */
export interface PendingDeliveries {
  /** First attempts, in order. */
  readonly firsts: readonly PendingDelivery[];
  /** Up to where they were looked at; null, or absent, of what was not come to. */
  readonly lookedTo?: { readonly [Part in keyof FirstPlaces]: number | null };
  /** Retries, the one that is due first. */
  readonly retries: readonly PendingDelivery[];
  /** Attempts that are marked, also by others. */
  readonly marked: readonly MarkedAttempt[];
  /** There may be more of each than was read. */
  readonly moreFirsts: boolean;
  readonly moreRetries: boolean;
}

/** How a request ended; null stands for what there was not. */
export interface AttemptResult {
  readonly durationMs: number;
  readonly responseStatus: number | null;
  readonly responseBody: string | null;
  readonly error: string | null;
  readonly outcome: AttemptOutcome;
  readonly retryAfterMs: number | null;
}

/** An attempt that has ended and is to be recorded. */
export interface EndedRequest {
  readonly attempt: MarkedAttempt;
  /** When its request began, a little after the mark; absent when only the mark is known. */
  readonly sentAtMs?: number;
  readonly result: AttemptResult;
  /** Why there was no whole response; for the log alone: open and closed ports differ in it. */
  readonly reason?: string | null;
  /** The response was not read to its end. */
  readonly isCut?: boolean;
  /** The event is no longer kept: nothing was sent, nothing will be, and it says nothing of the receiver. */
  readonly isEventGone?: boolean;
  /** A record of it was refused: a turn takes nothing else with it. */
  readonly isAlone?: boolean;
  /** The id of its record, where that of its mark was refused. */
  readonly recordedAs?: string;
  /** It was refused under that id too. */
  readonly isRefusedAgain?: boolean;
  /** This process ended it because it stops: it says nothing of a receiver that has answered. Any other would get more requests by each stop. */
  readonly isStopped?: boolean;
}

/** An attempt with its end, as it is recorded. */
export interface SettledAttempt extends EndedRequest {
  /** What the delivery became by it. */
  readonly state: DeliveryState;
  /** Null unless it is PENDING. */
  readonly dueAtMs: number | null;
}

/** When the attempt began, as customers see it; its duration is measured from then on. */
export function beginningOf({ attempt, sentAtMs }: EndedRequest): number {
  return sentAtMs ?? attempt.beganAtMs;
}

/** The error of an attempt of which no end was recorded. Source: docs/api-behaviour.md#webhooks-attempts. */
export const INTERRUPTED = 'interrupted';

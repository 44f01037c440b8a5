/** Names of what an audit finds wrong; each stands for a promise of the platform. */
export type Rule =
  /** A 2xx whose message is not stored. */
  | 'answer.false-success'
  /** An answer that says something else than the stored message. */
  | 'answer.disagrees'
  /** An answer that is no 2xx and does not name the message that is stored all the same. */
  | 'answer.hides-send'
  /** A refusal for good of a message that is at the upstream, or waits, or says something else than FAILED. */
  | 'answer.false-refusal'
  /** An answer that no fault excuses: 500, 401, 429 …, or a refusal without the envelope of errors. */
  | 'answer.unexpected'
  /** An answer that the API's description does not know. */
  | 'answer.undescribed'
  /** A send that failed, or waited too long, where the fault promises that none does. */
  | 'send.failed'
  | 'send.slow'
  /** A message reached the provider before an earlier one of its conversation, whose send had been answered before. */
  | 'send.overtaken'
  /** What had waited for the provider left more slowly than it may. */
  | 'drain.slow'
  /** A request to the upstream began after the opt-out call of its number had returned. */
  | 'fence.late'
  /** The number of a contact is kept though its erasure had been answered. */
  | 'erasure.lost'
  /** More messages passed than the month's quota allows, fewer than it had left, or its counter differs from them. */
  | 'quota.exceeded'
  | 'quota.unused'
  | 'quota.differs'
  /** The counts of a job do not add up to its recipients, or are not theirs. */
  | 'job.sum'
  /** A recipient of a job is nowhere, or its state has no message or request behind it. */
  | 'job.lost'
  /** A recipient of a job has two messages, or its message was accepted twice. */
  | 'job.doubled'
  /** A recipient of a job says something else than its message. */
  | 'job.disagrees'
  /** An event of an organization with a webhook was not stored for delivery, or never arrived, by itself or by a replay. */
  | 'webhook.lost'
  /** It arrived with other bytes than are stored, or without a signature. */
  | 'webhook.changed'
  /** It arrived more often than attempts were recorded, or was never committed. */
  | 'webhook.unrecorded'
  /** The attempts say something else than the receiver. */
  | 'webhook.disagrees'
  /** The first attempt of an event arrived behind a newer event of its conversation. */
  | 'webhook.order'
  /** Deliveries of an organization waited for what another one's rows met. */
  | 'webhook.slow'
  /** A reader of the feed, who went on from cursor to cursor, did not get a committed event, or got it twice. */
  | 'feed.lost'
  | 'feed.doubled'
  /** It got an event otherwise than it is stored, or behind a newer one of its conversation. */
  | 'feed.changed'
  | 'feed.order'
  /** One send became two messages. */
  | 'send.doubled'
  /** One phone became two contacts of one organization, or one contact two conversations on one line. */
  | 'contact.doubled'
  /** Two requests with one reference, the former of which was not refused as retryable. */
  | 'upstream.doubled'
  /** The upstream was asked for a message that is not stored. */
  | 'upstream.without-message'
  /** A status that was reported and answered 200 is not in the state of its message. */
  | 'status.lost'
  /** The upstream accepted a message for good and its record has no status of it: the auditor would be blind. */
  | 'status.unrecorded'
  /** A message is neither at the upstream nor visible as waiting, unknown or failed. */
  | 'message.lost'
  /** The upstream accepted a message and reported it, and it still does not say SENT. */
  | 'message.unsettled'
  /** The message and the upstream know different upstream ids. */
  | 'message.disagrees'
  /** An attempt is open of a message that is settled. */
  | 'dispatch.leftover'
  /** Reported by the upstream and not stored. */
  | 'inbound.lost'
  /** Reported by the upstream and stored twice. */
  | 'inbound.doubled'
  /** Committed and never seen by the consumer. */
  | 'event.missing'
  /** Seen by the consumer and in no outbox. */
  | 'event.unknown'
  /** Seen with another content than it was committed with. */
  | 'event.changed'
  /** Two events say the same of one message. */
  | 'event.doubled'
  /** The numbers of an aggregate do not grow by one in the order of first sight. */
  | 'event.sequence'
  /** Events of an aggregate were first seen in another order than they were committed in. */
  | 'event.order'
  /** The events of a message do not add up to its state. */
  | 'event.disagrees'
  /** A consumer has not applied an event. */
  | 'event.unapplied'
  /** An event was given up. */
  | 'event.dead'
  /** What analytics has counted is not what the messages add up to. */
  | 'figures.differ'
  /** A process died that the fault had not killed. */
  | 'process.died'
  /** No service noticed a fault within its time. */
  | 'unnoticed'
  /** What had to come to rest within its time did not. */
  | 'never-quiet';

/** One thing that is wrong. */
export interface Finding {
  readonly rule: Rule;
  /** What it is about, by id, and what was seen. */
  readonly detail: string;
}

/** One of a rule. */
export function finding(rule: Rule, detail: string): Finding {
  return { rule, detail };
}

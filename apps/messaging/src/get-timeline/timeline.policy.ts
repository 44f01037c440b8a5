import { cuidTime } from '@switchboard/contracts/grammar/cuid';
import { ERASED } from '@switchboard/contracts/messaging/code-words';
import type { TimelineItem, TimelineStep } from '@switchboard/contracts/messaging/timeline';
import type { AttemptOutcome } from '../attempt-outcome/attempt-outcome.repository.js';
import { TOKEN_UNREADABLE } from '../channel/access-token.js';
import { JOB_CANCELED, NEVER_TAKEN, OUTCOME_UNKNOWN, shownTimes } from '../message/message-progress.policy.js';
import type { MessageRow } from '../message/message-view.js';
import { failureInWords, inWords } from '../upstream/code-words.policy.js';
import type { TimelineFacts } from './timeline-facts.repository.js';

interface Step {
  readonly at: Date;
  readonly what: TimelineStep;
  readonly detail: string;
}

/** Failures of messages whose last mark was not followed by a request. */
const NOT_HANDED_OVER = new Set([
  NEVER_TAKEN,
  JOB_CANCELED,
  ERASED,
  'CONTACT_OPTED_OUT',
  'UPSTREAM_NOT_CONNECTED',
  TOKEN_UNREADABLE,
]);

/**
 * The steps of a message, in order: what its row, its dispatch and the attempts that did not settle it say together. Times do
 * not decrease, whatever clocks and callbacks say.
 *
 * Source: docs/api-behaviour.md#timeline, docs/adr/0052-timeline.md.
 */
export function timelineOf(facts: TimelineFacts): TimelineItem[] {
  const { message } = facts;
  const steps = message.direction === 'INBOUND' ? [receivedStep(message)] : outboundSteps(facts);
  let last = 0;
  return steps.map(({ at, what, detail }) => {
    last = Math.max(last, at.getTime());
    return { at: new Date(last).toISOString(), what, detail };
  });
}

function receivedStep({ id, type, unsupportedType }: MessageRow): Step {
  const kind = type === 'UNSUPPORTED' ? `UNSUPPORTED (${unsupportedType ?? 'of no name'})` : type;
  return { at: cuidTime(id), what: 'received', detail: `It came in from the contact, by the provider: ${kind}.` };
}

function outboundSteps(facts: TimelineFacts): Step[] {
  const { message, outcomes, open } = facts;
  const acceptedAt = cuidTime(message.id);
  const detail = message.jobId ? `It is stored, for the bulk send ${message.jobId}.` : 'It is stored.';
  const steps: Step[] = [{ at: acceptedAt, what: 'accepted', detail }];
  if (open && open.state !== 'DISPATCHING' && open.attempts === 0 && outcomes.length === 0) {
    const reason = 'It waits for an earlier message of its conversation that is still to be sent.';
    return [...steps, { at: acceptedAt, what: 'waiting', detail: reason }];
  }
  return [...steps, ...outcomes.flatMap(stepsOfOutcome), ...stepsOfLastAttempt(facts), ...stepsOfProgress(message)];
}

function stepsOfOutcome({ attempt, outcome, code, beganAt, endedAt, dueAt, times }: AttemptOutcome): Step[] {
  const due = dueAt.toISOString();
  if (outcome === 'UNBEGUN') {
    const often = times === 1 ? '' : `, ${times} times up to ${endedAt.toISOString()}`;
    const reason = `Nothing of attempt ${attempt} left here${often}: no connection to the provider was free or could be opened in time, or its turn had passed.`;
    const retry = `Retried at ${due} or soon after: attempt ${attempt}.`;
    return [
      { at: beganAt, what: 'not handed to the provider', detail: reason },
      { at: endedAt, what: 'retry scheduled', detail: retry },
    ];
  }
  const handed = handedStep(beganAt, attempt);
  if (outcome === 'UNKNOWN') {
    const cause = code === null ? 'The answer of the provider is missing' : `The provider answered ${inWords(code)} It`;
    const said = code === null ? `${cause}; the message` : cause;
    const detail = `Outcome unknown until ${due}: ${said} may have been taken, and is never sent again. A status of the provider settles it.`;
    // Since the request began: what the provider reports of it is later, by its own clock.
    return [handed, { at: beganAt, what: 'outcome unknown', detail }];
  }
  const refusal: Step = { at: endedAt, what: 'refused', detail: code === null ? 'Not taken.' : inWords(code) };
  const retry = `Retried at ${due} or soon after: attempt ${attempt + 1}.`;
  return [handed, refusal, { at: endedAt, what: 'retry scheduled', detail: retry }];
}

/** The attempt that settled the message, or is under way; nothing when no request followed the last mark. */
function stepsOfLastAttempt({ message, outcomes, open }: TimelineFacts): Step[] {
  const { attemptedAt, errorCode, sentAt } = message;
  if (!attemptedAt || (open && open.state !== 'DISPATCHING')) return [];
  const last = outcomes.at(-1);
  // Evidence that came later settled an attempt that has its steps.
  if (last && last.outcome !== 'UNBEGUN' && (last.outcome === 'UNKNOWN' || +last.beganAt === +attemptedAt)) return [];
  if (!sentAt && errorCode !== null && NOT_HANDED_OVER.has(errorCode)) return [];
  const made = outcomes.filter(({ outcome }) => outcome !== 'UNBEGUN').map(({ attempt }) => attempt);
  return [handedStep(attemptedAt, Math.max(0, ...made) + 1)];
}

function handedStep(at: Date, attempt: number): Step {
  return { at, what: 'handed to the provider', detail: `Attempt ${attempt}.` };
}

/** What became known of the message itself, by its times. */
function stepsOfProgress(message: MessageRow): Step[] {
  const { failedAt, errorCode } = message;
  const { sentAt, deliveredAt, readAt } = shownTimes(message);
  const steps: Step[] = [];
  if (sentAt) steps.push({ at: sentAt, what: 'sent', detail: 'The provider accepted the request that began then.' });
  if (failedAt && errorCode !== null) steps.push(...failureSteps(failedAt, errorCode, sentAt));
  if (deliveredAt) steps.push({ at: deliveredAt, what: 'delivered', detail: "It reached the recipient's device." });
  if (readAt) steps.push({ at: readAt, what: 'read', detail: 'The recipient opened it.' });
  return steps.sort((a, b) => +a.at - +b.at);
}

function failureSteps(at: Date, code: string, sentAt: Date | null): Step[] {
  const failed: Step = { at: sentAt && sentAt > at ? sentAt : at, what: 'failed', detail: failureInWords(code) };
  if (sentAt || code === OUTCOME_UNKNOWN || NOT_HANDED_OVER.has(code)) return [failed];
  const isOver = `The provider refused it for good with ${code}: it is not sent again.`;
  return [
    { at, what: 'refused', detail: failureInWords(code) },
    { at, what: 'failed', detail: isOver },
  ];
}

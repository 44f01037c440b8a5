import type { Ledgers, SendOutcome } from '../ledger/ledgers.js';
import { answerFindings } from './answer-rules.policy.js';
import { eventFindings } from './event-rules.policy.js';
import type { Finding, Rule } from './finding.js';
import { statusFindings } from './status-rules.policy.js';
import { upstreamFindings } from './upstream-rules.policy.js';

/** Counts of one period; those of several add up. */
export interface Tally {
  readonly sends: number;
  readonly succeeded: number;
  /** 4xx: refused, by us or by the upstream. */
  readonly refused: number;
  /** 5xx. */
  readonly failed: number;
  /** The request went out and no answer came. */
  readonly unanswered: number;
  /** No connection: nothing went out. */
  readonly unconnected: number;
  readonly inbound: number;
  readonly events: number;
  readonly lost: number;
  readonly doubled: number;
  readonly falseSuccesses: number;
  /** Unknown outcomes, named as such. */
  readonly unknown: number;
  /** Attempts of a process that is gone, whose lease has not ended yet: they become UNKNOWN or are settled. */
  readonly inDoubt: number;
  /** The longest that a caller waited for an answer, or for the end of its connection. */
  readonly longestMs: number;
}

/** What an audit says. */
export interface Audit {
  readonly tally: Tally;
  /** Empty: every promise was kept. */
  readonly findings: readonly Finding[];
}

const LOST: readonly Rule[] = ['message.lost', 'status.lost', 'inbound.lost', 'event.missing'];
const DOUBLED: readonly Rule[] = [
  'upstream.doubled',
  'send.doubled',
  'inbound.doubled',
  'event.doubled',
  'contact.doubled',
];

/** Compares the four ledgers, by message. */
export function audit(ledgers: Ledgers): Audit {
  const findings = [
    ...answerFindings(ledgers),
    ...upstreamFindings(ledgers),
    ...statusFindings(ledgers),
    ...eventFindings(ledgers),
  ];
  const { sends, messages, seen, inbound } = ledgers;
  const count = (rules: readonly Rule[]): number => findings.filter(({ rule }) => rules.includes(rule)).length;
  const answered = (from: number, to: number): number =>
    sends.filter(({ outcome }) => isWithin(outcome, from, to)).length;
  const tally: Tally = {
    sends: sends.length,
    succeeded: answered(200, 299),
    refused: answered(300, 499),
    failed: answered(500, 599),
    unanswered: sends.filter(({ outcome }) => outcome.kind === 'reset').length,
    unconnected: sends.filter(({ outcome }) => outcome.kind === 'refused').length,
    inbound: inbound.length,
    events: seen.length,
    lost: count(LOST),
    doubled: count(DOUBLED),
    falseSuccesses: count(['answer.false-success']),
    unknown: messages.filter(
      ({ dispatch, errorCode }) => dispatch === 'UNKNOWN' || errorCode === 'UPSTREAM_OUTCOME_UNKNOWN',
    ).length,
    inDoubt: messages.filter(({ dispatch }) => dispatch === 'DISPATCHING').length,
    longestMs: sends.reduce((longest, { startedMs, endedMs }) => Math.max(longest, endedMs - startedMs), 0),
  };
  return { tally, findings };
}

/** The tally of nothing. */
export const EMPTY_TALLY: Tally = {
  sends: 0,
  succeeded: 0,
  refused: 0,
  failed: 0,
  unanswered: 0,
  unconnected: 0,
  inbound: 0,
  events: 0,
  lost: 0,
  doubled: 0,
  falseSuccesses: 0,
  unknown: 0,
  inDoubt: 0,
  longestMs: 0,
};

/** Both together. */
export function sumTallies(a: Tally, b: Tally): Tally {
  return {
    sends: a.sends + b.sends,
    succeeded: a.succeeded + b.succeeded,
    refused: a.refused + b.refused,
    failed: a.failed + b.failed,
    unanswered: a.unanswered + b.unanswered,
    unconnected: a.unconnected + b.unconnected,
    inbound: a.inbound + b.inbound,
    events: a.events + b.events,
    lost: a.lost + b.lost,
    doubled: a.doubled + b.doubled,
    falseSuccesses: a.falseSuccesses + b.falseSuccesses,
    unknown: a.unknown + b.unknown,
    inDoubt: a.inDoubt + b.inDoubt,
    longestMs: Math.max(a.longestMs, b.longestMs),
  };
}

function isWithin(outcome: SendOutcome, from: number, to: number): boolean {
  return outcome.kind === 'answered' && outcome.status >= from && outcome.status <= to;
}

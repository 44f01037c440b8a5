import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { isConcerned, templatesOutcomesConsumer } from '@switchboard/contracts/consumers';
import type { EventEnvelope } from '@switchboard/contracts/grammar/define-event';
import { outcomeOf } from './message-outcome.policy.js';

interface Fact {
  readonly jobId?: string | null;
  readonly recipientIndex?: number;
  readonly message?: Readonly<Record<string, unknown>>;
}

const folder = join(import.meta.dirname, '../../../../libs/contracts/snapshots');
/** What consumers get of messages, each version as it was once emitted. */
const examples = readdirSync(folder)
  .filter((name) => /^messaging\.message\..*\.example\.json$/.test(name))
  .map((name) => JSON.parse(readFileSync(join(folder, name), 'utf8')) as EventEnvelope<Fact>);
const AFTER_JOB = ['sent', 'delivered', 'read', 'failed', 'outcome-unknown'];

/** The same of a recipient of a job, or of none. */
function ofJob({ data, ...envelope }: EventEnvelope<Fact>, jobId: string | null): EventEnvelope {
  const { message } = data;
  return {
    ...envelope,
    data: message ? { ...data, message: { ...message, jobId }, recipientIndex: 3 } : { ...data, jobId },
  };
}

describe('what an event of a message says of a recipient', () => {
  it.each(examples.map((example): [string, EventEnvelope<Fact>] => [example.subject, example]))(
    'reaches the consumer where it is of a job, and changes nothing elsewhere: %s',
    (subject, example) => {
      const of = ofJob(example, 'cjob0001');
      expect(isConcerned(templatesOutcomesConsumer, of)).toBe(true);
      const isOutcome = AFTER_JOB.some((name) => subject === `messaging.message.${name}.v1`);
      expect(outcomeOf(of)).toEqual(isOutcome ? expect.objectContaining({ jobId: 'cjob0001' }) : null);
      if (!example.data.message) return;
      const ofNone = ofJob(example, null);
      expect([isConcerned(templatesOutcomesConsumer, ofNone), outcomeOf(ofNone)]).toEqual([false, null]);
    },
  );

  it('is FAILED of one that messaging skipped because it does not fit its template any more', () => {
    const example = 'messaging.bulk-item.skipped.v1.example.json';
    const { data, ...envelope } = JSON.parse(readFileSync(join(folder, example), 'utf8')) as EventEnvelope<object>;
    const unfit = { ...envelope, data: { ...data, reason: 'JOB_CANCELED', isUnfit: true } };
    expect(outcomeOf(unfit)).toMatchObject({ status: 'FAILED', reason: 'TEMPLATE_VARIABLES_MISMATCH' });
  });

  it('is tried with all of them', () => {
    const subjects = examples.map(({ subject }) => subject);
    expect(subjects).toEqual(expect.arrayContaining(AFTER_JOB.map((name) => `messaging.message.${name}.v1`)));
  });
});

import { sketchBucketOf } from '../rollup/sketch.policy.js';
import type { RollupReport } from '../rollup/rollup.repository.js';
import { STAGES, type MessageFact } from './message-fact.js';
import type { FactChange } from './message-fact.repository.js';

/** One thing that a message counts in. */
export interface Figure {
  readonly report: RollupReport;
  readonly key: string;
}

/** A figure that a message has begun (1) or ceased (-1) to count in. */
export interface FigureChange extends Figure {
  readonly by: 1 | -1;
}

/** Everything that a message counts in, as it is. */
export function figuresOf(fact: MessageFact): Figure[] {
  if (fact.isInbound) return [{ report: 'messages', key: 'received' }];
  const reached = STAGES.slice(0, fact.stage + 1);
  const figures: Figure[] = reached.map((key) => ({ report: 'messages', key }));
  if (fact.isFailed) figures.push({ report: 'messages', key: 'failed' });
  if (fact.errorCode !== null) figures.push({ report: 'failures', key: fact.errorCode });
  const { sentAt, deliveredAt, readAt, templateId } = fact;
  if (sentAt && deliveredAt) figures.push(delay('delivered', sentAt, deliveredAt));
  if (sentAt && readAt) figures.push(delay('read', sentAt, readAt));
  if (templateId !== null) {
    for (const stage of reached.slice(1)) figures.push({ report: 'templates', key: `${templateId}:${stage}` });
  }
  return figures;
}

/** What a change of a message adds and takes back; what it counts in before and after is not named. */
export function changesOf({ before, after }: FactChange): FigureChange[] {
  const [former, present] = [before ? figuresOf(before) : [], figuresOf(after)];
  return [...without(present, former, 1), ...without(former, present, -1)];
}

function delay(until: 'delivered' | 'read', from: Date, to: Date): Figure {
  return { report: 'delays', key: `${until}:${sketchBucketOf((to.getTime() - from.getTime()) / 1_000)}` };
}

function without(figures: readonly Figure[], others: readonly Figure[], by: 1 | -1): FigureChange[] {
  const known = new Set(others.map(({ report, key }) => `${report} ${key}`));
  return figures.flatMap((figure) => (known.has(`${figure.report} ${figure.key}`) ? [] : [{ ...figure, by }]));
}

import { sketchBucketOf } from '../rollup/sketch.policy.js';
import type { DelayReport, RollupReport } from '../rollup/rollup.repository.js';
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
  if (sentAt && deliveredAt) figures.push(delay('delivered-after', sentAt, deliveredAt));
  if (sentAt && readAt) figures.push(delay('read-after', sentAt, readAt));
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

function delay(report: DelayReport, from: Date, to: Date): Figure {
  return { report, key: String(sketchBucketOf((to.getTime() - from.getTime()) / 1_000)) };
}

/** At most ten of each: comparing them costs less than a set of their names. */
function without(figures: readonly Figure[], others: readonly Figure[], by: 1 | -1): FigureChange[] {
  const isKnown = ({ report, key }: Figure): boolean =>
    others.some((other) => other.report === report && other.key === key);
  return figures.flatMap((figure) => (isKnown(figure) ? [] : [{ ...figure, by }]));
}

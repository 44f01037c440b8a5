import type { Knobs } from '../knobs/knobs.entity.js';
import type { MagicBehaviour } from '../send-message/magic-recipient.policy.js';

/**
 * One callback item to come for a message. `dueAtMs` says when it goes out, `happenedAtMs` the time it reports: under
 * `reorder` the two differ in order.
 */
export type Step =
  | {
      readonly kind: 'status';
      readonly status: 'sent' | 'delivered' | 'read' | 'failed';
      readonly dueAtMs: number;
      readonly happenedAtMs: number;
      readonly errorCode?: number;
    }
  | { readonly kind: 'reply'; readonly text: string; readonly dueAtMs: number; readonly happenedAtMs: number };

type StatusStep = Extract<Step, { kind: 'status' }>;

/** Delays for magic recipients whose knob is null: they promise their statuses whatever the knobs say. */
const FALLBACK_DELAY_MS = { sent: 20, delivered: 60, read: 100 } as const;
const DUPLICATE_WITHIN_MS = 50;

/** The steps of an accepted message, ordered by `dueAtMs`; those due together keep the order of their magic. */
export function planSteps(
  acceptedAtMs: number,
  magic: MagicBehaviour | undefined,
  knobs: Knobs,
  random: () => number,
): readonly Step[] {
  let steps = magic ? magicSteps(acceptedAtMs, magic, knobs) : undefined;
  if (!steps) {
    steps = ordinarySteps(acceptedAtMs, knobs);
    if (knobs.reorder) steps = reordered(steps, random);
    if (knobs.duplicateRate > 0) steps = duplicated(steps, knobs.duplicateRate, random);
  }
  const all: Step[] = steps;
  if (knobs.autoReply) {
    const dueAtMs = acceptedAtMs + knobs.autoReply.delayMs;
    all.push({ kind: 'reply', text: knobs.autoReply.text, dueAtMs, happenedAtMs: dueAtMs });
  }
  return all.sort((a, b) => a.dueAtMs - b.dueAtMs);
}

function ordinarySteps(acceptedAtMs: number, knobs: Knobs): StatusStep[] {
  const steps: StatusStep[] = [];
  const { sent, delivered, read } = knobs.callbackDelayMs;
  if (sent !== null) steps.push(step('sent', acceptedAtMs + sent));
  if (delivered !== null) steps.push(step('delivered', acceptedAtMs + delivered));
  if (read !== null) steps.push(step('read', acceptedAtMs + read));
  return steps;
}

function magicSteps(acceptedAtMs: number, magic: MagicBehaviour, knobs: Knobs): StatusStep[] | undefined {
  const sentAt = acceptedAtMs + (knobs.callbackDelayMs.sent ?? FALLBACK_DELAY_MS.sent);
  const deliveredAt = acceptedAtMs + (knobs.callbackDelayMs.delivered ?? FALLBACK_DELAY_MS.delivered);
  const readAt = acceptedAtMs + (knobs.callbackDelayMs.read ?? FALLBACK_DELAY_MS.read);
  // Nothing ever says what became of it.
  if (magic.kind === 'cut-for-good') return [];
  if (magic.kind === 'fail-later') {
    return [step('sent', sentAt), { ...step('failed', Math.max(deliveredAt, sentAt)), errorCode: magic.code }];
  }
  if (magic.kind === 'read-without-delivered') return [step('sent', sentAt), step('read', Math.max(readAt, sentAt))];
  if (magic.kind === 'reversed-twice') {
    const reverse = [step('read', readAt), step('delivered', deliveredAt), step('sent', sentAt)];
    const dueAts = [sentAt, deliveredAt, readAt].sort((a, b) => a - b);
    return reverse.flatMap((one, at) => {
      const due = { ...one, dueAtMs: dueAts[at] ?? one.dueAtMs };
      return [due, due];
    });
  }
  return undefined;
}

function reordered(steps: readonly StatusStep[], random: () => number): StatusStep[] {
  const dueAts = steps.map((one) => one.dueAtMs);
  for (let at = dueAts.length - 1; at > 0; at -= 1) {
    const other = Math.floor(random() * (at + 1));
    const [a, b] = [dueAts[at], dueAts[other]];
    if (a !== undefined && b !== undefined) [dueAts[at], dueAts[other]] = [b, a];
  }
  return steps.map((one, at) => ({ ...one, dueAtMs: dueAts[at] ?? one.dueAtMs }));
}

function duplicated(steps: readonly StatusStep[], rate: number, random: () => number): StatusStep[] {
  return steps.flatMap((one) =>
    random() < rate ? [one, { ...one, dueAtMs: one.dueAtMs + random() * DUPLICATE_WITHIN_MS }] : [one],
  );
}

function step(status: StatusStep['status'], atMs: number): StatusStep {
  return { kind: 'status', status, dueAtMs: atMs, happenedAtMs: atMs };
}

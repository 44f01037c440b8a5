import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import type { JsMsg } from '@nats-io/jetstream';
import { AckDeadlines } from './ack-deadline.js';

describe('a message that is worked on', () => {
  beforeEach(() => void jest.useFakeTimers());
  afterEach(() => void jest.useRealTimers());

  it('is extended three times within the patience of the broker, until it is acknowledged', () => {
    const deadlines = new AckDeadlines(30_000);
    const [one, other] = [message(), message()];
    for (const { message: held } of [one, other]) deadlines.hold(held);
    jest.advanceTimersByTime(30_000);
    deadlines.release(one.message);
    jest.advanceTimersByTime(30_000);
    expect([one.extended(), other.extended()]).toEqual([3, 6]);
    deadlines.release(other.message);
    expect(jest.getTimerCount()).toBe(0);
    deadlines.hold(one.message);
    jest.advanceTimersByTime(10_000);
    expect(one.extended()).toBe(4);
    deadlines.release(one.message);
  });

  it('comes again when its handler hangs: it is extended for five minutes, and no longer', () => {
    const deadlines = new AckDeadlines(30_000);
    const { message: held, extended } = message();
    deadlines.hold(held);
    jest.advanceTimersByTime(299_999);
    expect(extended()).toBe(29);
    jest.advanceTimersByTime(600_000);
    expect(extended()).toBe(29);
    deadlines.release(held);
  });
});

function message(): { readonly message: JsMsg; readonly extended: () => number } {
  let extended = 0;
  const working = (): void => void extended++;
  return { message: { working } as Partial<JsMsg> as JsMsg, extended: () => extended };
}

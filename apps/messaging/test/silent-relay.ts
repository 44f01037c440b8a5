import type { Relay } from '@switchboard/outbox';

/** A relay that nothing waits for. */
export const silentRelay = {
  wake: () => undefined,
  wakeSoon: () => undefined,
  wakeLater: () => undefined,
} as Partial<Relay> as Relay;

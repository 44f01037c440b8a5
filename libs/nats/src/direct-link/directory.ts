import type { NatsConnection } from '@nats-io/transport-node';
import type { LinkState } from '../link-state.js';
import type { ServiceStarts } from '../rpc-over-nats.js';
import { ANNOUNCE_EVERY_MS, announcementSubject, type Announcement } from './announcement.js';

/** After three announcements that did not come a process is taken for gone. */
const SILENT_MAX_MS = 3.5 * ANNOUNCE_EVERY_MS;

/** Where the services that a caller asks were last heard of, and when a process of theirs starts. */
export class Directory implements ServiceStarts {
  /** By service, then by URL. */
  private readonly heard = new Map<string, Map<string, Announcement & { readonly atMs: number }>>();
  private readonly waiting = new Map<string, Set<() => void>>();
  /** When any process was heard of last. */
  private heardMs = 0;
  private turn = 0;

  /** @param caller the service whose directory this is; NATS lets no other user read its announcements */
  constructor(
    connection: NatsConnection,
    private readonly link: LinkState,
    caller: string,
    services: readonly string[],
  ) {
    for (const service of services) {
      const callback = (error: Error | null, message: { json<T>(): T }): void => {
        if (!error) this.hear(service, message.json<Announcement>());
      };
      connection.subscribe(announcementSubject(service, caller), { callback });
    }
  }

  /**
   * The processes of a service, each call beginning with the next one. While NATS is away no process can announce itself:
   * who was there when the last of all was heard of counts as there. That is earlier than the link was found to be away, by
   * seconds where it is half open.
   */
  addresses(service: string): readonly Announcement[] {
    const nowMs = this.link.isAway ? this.heardMs : performance.now();
    const alive = [...(this.heard.get(service)?.values() ?? [])].filter(({ atMs }) => nowMs - atMs < SILENT_MAX_MS);
    const first = alive.length === 0 ? 0 : this.turn++ % alive.length;
    return [...alive.slice(first), ...alive.slice(0, first)];
  }

  whenStarted(service: string, onStart: () => void): () => void {
    const waiting = this.waiting.get(service) ?? new Set();
    this.waiting.set(service, waiting.add(onStart));
    return () => void waiting.delete(onStart);
  }

  private hear(service: string, { url, token, isStart }: Announcement): void {
    const known = this.heard.get(service) ?? new Map<string, Announcement & { readonly atMs: number }>();
    const nowMs = performance.now();
    for (const [other, { atMs }] of known) if (nowMs - atMs > 10 * SILENT_MAX_MS) known.delete(other);
    known.set(url, { url, token, isStart, atMs: nowMs });
    this.heardMs = nowMs;
    this.heard.set(service, known);
    if (isStart) for (const onStart of this.waiting.get(service) ?? []) onStart();
  }
}

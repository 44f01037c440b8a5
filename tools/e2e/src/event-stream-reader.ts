import { eventually } from '@switchboard/testing/eventually';

/** An event as it came over a stream. */
export interface StreamedEvent {
  readonly id: string;
  /** `message` where the stream names none. */
  readonly name: string;
  readonly data: string;
}

/** Reads `GET /app/api/events` as a browser does, on a connection of its own. */
export class EventStreamReader {
  readonly events: StreamedEvent[] = [];
  /** Set once it has ended, in whatever way. */
  hasEnded = false;
  private readonly over = new AbortController();

  private constructor(private readonly answer: Response) {
    void this.read();
  }

  /** @throws Error when it is refused */
  static async open(
    baseUrl: string,
    cookie: string | null,
    headers: Record<string, string> = {},
  ): Promise<EventStreamReader> {
    const reader = await EventStreamReader.ask(baseUrl, cookie, headers);
    if (reader.status !== 200) throw new Error(`the stream was refused: ${reader.status}`);
    await eventually(() => reader.events.length > 0);
    return reader;
  }

  /** As `open`, whatever the answer is. */
  static async ask(
    baseUrl: string,
    cookie: string | null,
    headers: Record<string, string> = {},
  ): Promise<EventStreamReader> {
    const answer = await fetch(`${baseUrl}/app/api/events`, {
      headers: { ...(cookie === null ? {} : { cookie }), ...headers, connection: 'close' },
    });
    return new EventStreamReader(answer);
  }

  get status(): number {
    return this.answer.status;
  }

  /** Bodies of webhooks, without what the stream itself says. */
  get bodies(): readonly string[] {
    return this.events.flatMap(({ name, data }) => (name === 'message' ? data : []));
  }

  /** Where the stream began. */
  get firstId(): string {
    return this.events[0]?.id ?? '';
  }

  get lastId(): string {
    return this.events.at(-1)?.id ?? '';
  }

  async close(): Promise<void> {
    this.over.abort();
    await eventually(() => this.hasEnded);
  }

  private async read(): Promise<void> {
    let rest = '';
    let id = '';
    const decoder = new TextDecoder();
    try {
      const reader = this.answer.body?.getReader();
      this.over.signal.addEventListener('abort', () => void reader?.cancel().catch(() => undefined));
      for (;;) {
        const next = await reader?.read();
        if (!next || next.done) break;
        const blocks = (rest + decoder.decode(next.value, { stream: true })).split('\n\n');
        rest = blocks.pop() ?? '';
        for (const block of blocks) {
          const field = (name: string): string | undefined =>
            block
              .split('\n')
              .find((line) => line.startsWith(`${name}: `))
              ?.slice(name.length + 2);
          id = field('id') ?? id;
          const data = field('data');
          if (data !== undefined) this.events.push({ id, name: field('event') ?? 'message', data });
        }
      }
    } catch {
      // A gateway that is killed breaks the connection.
    } finally {
      this.hasEnded = true;
    }
  }
}

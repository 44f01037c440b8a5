import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A callback as it came in over HTTP. */
export interface ReceivedCallback {
  readonly raw: string;
  readonly signature: string | undefined;
  readonly entry: readonly { readonly id: string; readonly changes: readonly { readonly value: CallbackValue }[] }[];
}

/** The parts of a change's value that tests look at. */
export interface CallbackValue {
  readonly contacts?: readonly Readonly<Record<string, unknown>>[];
  readonly messages?: readonly Readonly<Record<string, unknown>>[];
  readonly statuses?: readonly StatusItem[];
  readonly [member: string]: unknown;
}

/** A status as callbacks carry it. */
export interface StatusItem {
  readonly id: string;
  readonly status: string;
  readonly recipient_id: string;
  readonly biz_opaque_callback_data?: string;
  readonly errors?: readonly { readonly code: number }[];
}

/** An HTTP server that takes callbacks; what it has taken can be awaited. */
export class CallbackReceiver {
  static readonly #running = new Set<CallbackReceiver>();
  readonly received: ReceivedCallback[] = [];
  /** Statuses to answer the next callbacks with, 200 when there are none. */
  readonly answers: number[] = [];
  url = '';
  readonly #waiting = new Set<() => void>();
  readonly #server = createServer((request, response) => {
    const url = new URL(request.url ?? '', 'http://localhost');
    if (request.method === 'GET') {
      const knows = url.searchParams.get('hub.verify_token') === 'simulator-verify-token';
      response.writeHead(knows ? 200 : 403).end(knows ? url.searchParams.get('hub.challenge') : '');
      return;
    }
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => {
      const raw = Buffer.concat(chunks).toString();
      const signature = request.headers['x-hub-signature-256'];
      this.received.push({ ...JSON.parse(raw), raw, signature: typeof signature === 'string' ? signature : undefined });
      response.writeHead(this.answers.shift() ?? 200).end();
      for (const check of this.#waiting) check();
    });
  });

  /** Starts to listen on a port that the system chooses. */
  async start(): Promise<this> {
    CallbackReceiver.#running.add(this);
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve));
    this.url = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}/callbacks`;
    return this;
  }

  /** All statuses taken for messages with a reference, in the order of their arrival. */
  statusesOf(reference: string): readonly StatusItem[] {
    return this.received
      .flatMap((callback) => callback.entry.flatMap((entry) => entry.changes))
      .flatMap((change) => change.value.statuses ?? [])
      .filter((status) => status.biz_opaque_callback_data === reference);
  }

  /** Resolves as soon as the condition holds; it is asked now and after every callback. */
  until(condition: () => boolean): Promise<void> {
    return new Promise((resolve) => {
      const check = (): void => {
        if (!condition()) return;
        this.#waiting.delete(check);
        resolve();
      };
      this.#waiting.add(check);
      check();
    });
  }

  /** Stops every receiver that still runs, those of a test that failed half-way included. */
  static async stopAll(): Promise<void> {
    for (const receiver of CallbackReceiver.#running) await receiver.stop();
  }

  /** Cuts every connection and frees the port. */
  async stop(): Promise<void> {
    CallbackReceiver.#running.delete(this);
    this.#server.closeAllConnections();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}

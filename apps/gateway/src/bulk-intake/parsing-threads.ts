import { availableParallelism } from 'node:os';
import { Worker } from 'node:worker_threads';
import { errorByCode } from '@switchboard/contracts/error-registry';
import { AppError } from '@switchboard/contracts/grammar/app-error';
import { serviceErrors } from '@switchboard/contracts/grammar/errors';
import { Injectable, type BeforeApplicationShutdown } from '@nestjs/common';
import type { BulkBodyEnd } from './bulk-body.js';
import { ownedBytes } from './owned-bytes.js';
import type { ThreadAnswer, ThreadRequest } from './parsing-thread.protocol.js';
import type { RecipientChunk } from './recipient-chunks.js';

/** Threads are the built program, also where this file is read as a source. */
const PROGRAM = new URL('../../dist/bulk-intake/parsing-thread.main.js', import.meta.url);
/** One core stays for the rest of the process. */
const THREADS_MAX = Math.max(1, Math.min(4, availableParallelism() - 1));
/** A thread holds one piece and one element of each body; more is a bug. The young part bounds what it grows to for speed. */
const MEMORY = { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 4 };

/** A body that is being parsed. Its methods are called one after the other. */
export interface ParsedBody {
  /**
   * Takes the piece's memory over.
   *
   * @returns the chunks that are full now
   * @throws AppError as `BulkBody.push`; SERVICE_UNAVAILABLE when the thread has ended
   */
  push(piece: Uint8Array): Promise<readonly RecipientChunk[]>;
  /** @throws AppError as `BulkBody.end`; SERVICE_UNAVAILABLE when the thread has ended */
  end(): Promise<BulkBodyEnd>;
  /** Must be called in the end, whatever happened. */
  drop(): void;
}

/** Parses bodies in threads of their own: begun with the first body, as many as there are cores to spare. */
@Injectable()
export class ParsingThreads implements BeforeApplicationShutdown {
  private readonly threads = new Set<ParsingThread>();
  private bodies = 0;

  /** Begins a body, in the thread that has the fewest. */
  open(): ParsedBody {
    const [idlest] = [...this.threads].sort((one, other) => one.size - other.size);
    const thread = idlest && (idlest.size === 0 || this.threads.size >= THREADS_MAX) ? idlest : this.begin();
    return thread.open(++this.bodies);
  }

  async beforeApplicationShutdown(): Promise<void> {
    await Promise.all([...this.threads].map((thread) => thread.stop()));
  }

  private begin(): ParsingThread {
    const thread = new ParsingThread(() => this.threads.delete(thread));
    this.threads.add(thread);
    return thread;
  }
}

type Waiting = PromiseWithResolvers<ThreadAnswer>;

class ParsingThread {
  private readonly worker = new Worker(PROGRAM, { resourceLimits: MEMORY });
  /** By body, in the order in which they asked, which is that of the answers; null while a body asks nothing. */
  private readonly waiting = new Map<number, Waiting | null>();
  /** Set once the thread has ended: it answers nothing any more. */
  private end: AppError | undefined;

  constructor(onEnd: () => void) {
    // An idle thread does not keep the process.
    this.worker.unref();
    this.worker.on('message', (answer: ThreadAnswer) => {
      const asking = this.waiting.get(answer.body);
      if (!asking) return;
      this.waiting.set(answer.body, null);
      asking.resolve(answer);
    });
    this.worker.on('error', (cause) => {
      onEnd();
      // It ended at the body that asked first, by a bug or for want of memory; the others may be sent again.
      const [first] = [...this.waiting.values()].filter((asking) => asking !== null);
      first?.reject(new Error('the parsing thread has ended', { cause }));
    });
    this.worker.once('exit', () => {
      onEnd();
      this.end = new AppError(serviceErrors.SERVICE_UNAVAILABLE, undefined, { retryAfterSeconds: 1 });
      for (const asking of this.waiting.values()) asking?.reject(this.end);
    });
  }

  get size(): number {
    return this.waiting.size;
  }

  open(body: number): ParsedBody {
    this.waiting.set(body, null);
    const ask = async (request: ThreadRequest, transferred: ArrayBuffer[] = []): Promise<ThreadAnswer> => {
      if (this.end) throw this.end;
      const asking = Promise.withResolvers<ThreadAnswer>();
      this.waiting.delete(body);
      this.waiting.set(body, asking);
      this.worker.postMessage(request, transferred);
      const answer = await asking.promise;
      if (answer.kind !== 'refused') return answer;
      throw new AppError(errorByCode(answer.failure.code), answer.failure.message);
    };
    return {
      push: async (piece) => {
        const bytes = ownedBytes(piece);
        const answer = await ask({ kind: 'piece', body, bytes }, [bytes.buffer]);
        return answer.kind === 'chunks' ? answer.chunks : [];
      },
      end: async () => {
        const answer = await ask({ kind: 'end', body });
        if (answer.kind !== 'ended') throw new Error(`the parsing thread answered ${answer.kind}`);
        return answer.end;
      },
      drop: () => {
        this.waiting.delete(body);
        this.worker.postMessage({ kind: 'drop', body } satisfies ThreadRequest);
      },
    };
  }

  async stop(): Promise<void> {
    await this.worker.terminate();
  }
}

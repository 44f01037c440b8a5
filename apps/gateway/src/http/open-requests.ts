import type { Socket } from 'node:net';
import { Inject, Injectable } from '@nestjs/common';
import { STOPPING } from '@switchboard/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';

/** A request that has no complete answer yet. */
export interface OpenRequest {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** The requests under way: by connection, for what its parser refuses, and all of them, for stopping. */
@Injectable()
export class OpenRequests {
  private readonly all = new Map<FastifyReply, OpenRequest>();
  private readonly bySocket = new WeakMap<Socket, OpenRequest>();

  /** @param stopping when it aborts, every answer ends its connection, those of requests under way too */
  constructor(@Inject(STOPPING) private readonly stopping: AbortSignal) {
    stopping.addEventListener('abort', () => {
      for (const reply of this.all.keys()) if (!reply.raw.headersSent) reply.header('connection', 'close');
    });
  }

  /** Must be called with every request, and `remove` when its answer is out or its connection is gone. */
  add(request: FastifyRequest, reply: FastifyReply): void {
    const open = { request, reply };
    this.all.set(reply, open);
    this.bySocket.set(request.raw.socket, open);
    if (this.isStopping) reply.header('connection', 'close');
  }

  remove(reply: FastifyReply): void {
    const open = this.bySocket.get(reply.request.raw.socket);
    if (open?.reply === reply) this.bySocket.delete(reply.request.raw.socket);
    this.all.delete(reply);
  }

  /** The last request of a connection that is still to be answered. */
  on(socket: Socket): OpenRequest | undefined {
    return this.bySocket.get(socket);
  }

  /** How many are under way. */
  get size(): number {
    return this.all.size;
  }

  /** True once every answer ends its connection. */
  get isStopping(): boolean {
    return this.stopping.aborted;
  }

  /** Those that have waited for longer, the longest first. */
  olderThan(ageMs: number): OpenRequest[] {
    const startedMax = performance.now() - ageMs;
    const old: OpenRequest[] = [];
    for (const open of this.all.values()) {
      if (open.request.state.startedMs > startedMax) break;
      old.push(open);
    }
    return old;
  }
}

import type { RpcDefinition, RpcReply } from '@switchboard/contracts/grammar/define-rpc';
import { errors, type MsgHdrs, type NatsConnection } from '@nats-io/transport-node';
import type { LinkState } from './link-state.js';
import { joinParts } from './rpc-parts.js';
import { LinkLost, RpcUnanswered, ServiceStarted } from './rpc-unanswered.js';

/** A request as it travels, by whichever way. */
export interface RpcEnvelope {
  readonly rpc: RpcDefinition;
  /** `RpcMessage` as JSON. */
  readonly payload: string | Uint8Array;
  /** Trace and deadline. */
  readonly headers: MsgHdrs;
}

/** A way to the service that answers an rpc. */
export interface RpcWay {
  /**
   * Asks once.
   *
   * @param deadlineMs how long the answer may take
   * @throws RpcUnanswered
   */
  ask(envelope: RpcEnvelope, deadlineMs: number): Promise<RpcReply<unknown>>;
}

/** Where a caller learns that a process of a service has started. */
export interface ServiceStarts {
  /**
   * Has `onStart` called whenever a process of the service starts.
   *
   * @returns ends that
   */
  whenStarted(service: string, onStart: () => void): () => void;
}

/** Request/reply over NATS: any replica of the service takes the request. */
export class RpcOverNats implements RpcWay {
  constructor(
    private readonly connection: NatsConnection,
    private readonly link: LinkState,
    private readonly starts?: ServiceStarts,
  ) {}

  /**
   * Does not wait for an answer that cannot come: when the link goes meanwhile; when a process of the service starts, as
   * the one that took the request may have been killed, and the broker does not say which one that was.
   */
  async ask(envelope: RpcEnvelope, deadlineMs: number): Promise<RpcReply<unknown>> {
    const { rpc } = envelope;
    const lost = Promise.withResolvers<never>();
    const answer = rpc.inParts ? this.askInParts(envelope, deadlineMs) : this.askOnce(envelope, deadlineMs);
    const forget = this.link.whenAway(() => lost.reject(new LinkLost()));
    const ignoreStarts = this.starts?.whenStarted(rpc.owner, () => lost.reject(new ServiceStarted()));
    try {
      return await Promise.race([answer, lost.promise]);
    } catch (error) {
      answer.catch(() => undefined);
      throw new RpcUnanswered(rpc.subject, isNoResponder(error) ? 'none' : 'unknown', error);
    } finally {
      forget();
      ignoreStarts?.();
    }
  }

  private async askOnce({ rpc, payload, headers }: RpcEnvelope, deadlineMs: number): Promise<RpcReply<unknown>> {
    const message = await this.connection.request(rpc.subject, payload, { timeout: deadlineMs, headers });
    return message.json<RpcReply<unknown>>();
  }

  private async askInParts({ rpc, payload, headers }: RpcEnvelope, deadlineMs: number): Promise<RpcReply<unknown>> {
    const limits = { strategy: 'timer', maxWait: deadlineMs, headers } as const;
    const text = await joinParts(await this.connection.requestMany(rpc.subject, payload, limits));
    if (text === null) throw new errors.TimeoutError();
    return JSON.parse(text) as RpcReply<unknown>;
  }
}

function isNoResponder(error: unknown): boolean {
  return error instanceof errors.NoRespondersError || (error instanceof errors.RequestError && error.isNoResponders());
}

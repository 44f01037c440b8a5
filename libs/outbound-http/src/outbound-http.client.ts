import { performance } from 'node:perf_hooks';
import { Agent } from 'undici';
import { AbortListeners } from './abort-listeners.js';
import { BoundedPost } from './bounded-post.js';
import { Guard, type GuardOptions } from './guard.js';
import { guardedConnector } from './guarded-connector.js';
import { NameServers } from './name-servers.js';
import { type OutboundEnd, OutboundRefusal, type OutboundRequest, type OutboundSender } from './outbound.js';
import { nameResolver, queryDns, type ResolveName } from './resolve-name.client.js';
import { hostOf, parseOutboundUrl, portOf, urlMessage, type UrlRefusal, type UrlVerdict } from './url.policy.js';

/** Where requests may go, and what tests set. */
export interface OutboundOptions extends Omit<GuardOptions, 'resolve' | 'resolveOwn'> {
  /** Default: the hosts file, then DNS. */
  readonly resolve?: ResolveName;
  /** PEM of authorities to trust in addition to Node's. */
  readonly authorities?: string;
  /** For DNS, connecting, TLS, headers and body together. Default: 10 s. */
  readonly deadlineMs?: number;
}

/** Source: docs/api-behaviour.md#webhooks-attempts. */
export const REQUEST_DEADLINE_MS = 10_000;

/** A registration waits for the name at most so long. */
const JUDGE_DEADLINE_MS = 5_000;

/** URLs whose form is known, at most. */
const TARGETS_MAX = 10_000;

/** Where a URL leads to, as it is asked of undici. */
interface Target {
  readonly origin: string;
  readonly path: string;
}

/** More of a response's header is an error. */
const HEADER_BYTES_MAX = 16 * 1024;

/**
 * Sends requests to URLs that customers chose, and to no address that the guard refuses.
 *
 * It follows no redirect, keeps no cookies, decodes no body, reads no proxy variable and verifies TLS. It does not bound how
 * many requests are open: the caller does, by webhook, so that one receiver cannot use up what the others need.
 */
export class OutboundHttp implements OutboundSender {
  private readonly guard: Guard;
  private readonly agent: Agent;
  private readonly deadlineMs: number;
  private readonly aborts = new AbortListeners();
  private readonly targets = new Map<string, Target>();

  constructor(private readonly options: OutboundOptions) {
    this.deadlineMs = options.deadlineMs ?? REQUEST_DEADLINE_MS;
    this.guard = new Guard({
      resolve: nameResolver(new NameServers(queryDns).resolve),
      resolveOwn: options.resolve ?? nameResolver(queryDns),
      ...options,
    });
    this.agent = new Agent({
      connect: guardedConnector(this.guard, this.deadlineMs, options.authorities),
      allowH2: false,
      pipelining: 1,
      maxHeaderSize: HEADER_BYTES_MAX,
      // One deadline for all of a request is ours; these would begin again with every chunk.
      headersTimeout: 0,
      bodyTimeout: 0,
      // Below the 5 s of most servers, so that a request hardly ever meets a connection that is being closed.
      keepAliveTimeout: 4_000,
      keepAliveMaxTimeout: 15_000,
    });
  }

  /** Judges a URL at registration: its form, its name and every address. Never rejects. */
  async judge(text: string): Promise<UrlVerdict> {
    const url = parseOutboundUrl(text, this.options.allowPrivate);
    if (url === null) return this.refused('form');
    try {
      await this.guard.addressesOf(hostOf(url), portOf(url), AbortSignal.timeout(JUDGE_DEADLINE_MS));
      return { isAllowed: true, url: text };
    } catch (error) {
      return this.refused(error instanceof OutboundRefusal && error.error === 'url not allowed' ? 'address' : 'name');
    }
  }

  /** Sends one POST, at most once, and gives up at the deadline. Never rejects. */
  async post({ url: text, headers, body, signal }: OutboundRequest): Promise<OutboundEnd> {
    const startedAt = performance.now();
    const { promise, resolve } = Promise.withResolvers<Parameters<ConstructorParameters<typeof BoundedPost>[0]>[0]>();
    const handler = new BoundedPost(resolve);
    const timer = setTimeout(() => handler.giveUp(`no end after ${this.deadlineMs} ms`), this.deadlineMs);
    const abort = (): void => handler.giveUp('aborted by the caller', 'aborted');
    const endListening = signal && this.aborts.add(signal, abort);
    const target = this.targetOf(text);
    if (target === null) handler.giveUp('form', 'url not allowed');
    else if (signal?.aborted === true) abort();
    else this.dispatch(target, headers, body, handler);
    const end = await promise;
    clearTimeout(timer);
    endListening?.();
    return { ...end, durationMs: Math.round(performance.now() - startedAt) };
  }

  /** Ends every request and connection. */
  async close(): Promise<void> {
    await this.agent.destroy();
  }

  /** Null for a URL of a wrong form. It is read once; addresses are judged with each connection. */
  private targetOf(text: string): Target | null {
    const known = this.targets.get(text);
    if (known) return known;
    const url = parseOutboundUrl(text, this.options.allowPrivate);
    if (url === null) return null;
    const target = { origin: url.origin, path: `${url.pathname}${url.search}` };
    if (this.targets.size >= TARGETS_MAX) this.targets.clear();
    this.targets.set(text, target);
    return target;
  }

  private refused(refusal: UrlRefusal): UrlVerdict {
    return { isAllowed: false, refusal, message: urlMessage(refusal, this.options.allowPrivate) };
  }

  private dispatch(target: Target, headers: OutboundRequest['headers'], body: Uint8Array, handler: BoundedPost): void {
    try {
      this.agent.dispatch(
        {
          ...target,
          method: 'POST',
          headers: {
            ...headers,
            'content-type': 'application/json',
            'user-agent': 'Service-Webhooks/1',
            'accept-encoding': 'identity',
          },
          body,
        },
        handler,
      );
    } catch (error) {
      handler.giveUp(error instanceof Error ? error.message : String(error));
    }
  }
}

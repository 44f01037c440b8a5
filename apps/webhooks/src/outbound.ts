import type { OnApplicationBootstrap, OnApplicationShutdown } from '@nestjs/common';
import { OutboundHttp, OutboundThread, type RefusedHost, type ThreadOptions } from '@switchboard/outbound-http';
import { SecretBox } from '@switchboard/secrets';
import type { WebhooksConfig } from './webhooks.config.js';

/** The client of requests to customers' URLs: deliveries, tests and registrations. */
export function outboundOf(config: WebhooksConfig): OutboundHttp {
  return new OutboundHttp(optionsOf(config));
}

/** The same in a thread of its own, for deliveries to receivers that give way to others. */
export class OutboundApart extends OutboundThread implements OnApplicationBootstrap, OnApplicationShutdown {
  static of(config: WebhooksConfig): OutboundApart {
    return new OutboundApart(optionsOf(config));
  }

  async onApplicationBootstrap(): Promise<void> {
    await this.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.close();
  }
}

function optionsOf(config: WebhooksConfig): ThreadOptions {
  const { WEBHOOKS_ALLOW_PRIVATE: allowPrivate, requestDeadlineMs: deadlineMs } = config;
  const authorities = config.WEBHOOKS_CA_FILE;
  return { allowPrivate, refusedHosts: ownHosts(config), deadlineMs, ...(authorities === '' ? {} : { authorities }) };
}

/** Seals and opens the signing secrets. */
export function secretBoxOf(config: WebhooksConfig): SecretBox {
  return new SecretBox({ current: config.CREDENTIALS_KEY, previous: config.CREDENTIALS_KEY_PREVIOUS });
}

/** What the service knows of its own platform: its servers, the API's address, and what the operator names. */
export function ownHosts(
  config: Pick<WebhooksConfig, 'DATABASE_URL' | 'NATS_URL' | 'PUBLIC_BASE_URL' | 'WEBHOOKS_REFUSED_HOSTS'>,
): readonly RefusedHost[] {
  const { DATABASE_URL, NATS_URL, PUBLIC_BASE_URL, WEBHOOKS_REFUSED_HOSTS } = config;
  const servers = [DATABASE_URL, ...NATS_URL.split(',')].flatMap(hostsOf);
  // What is published may be behind a CDN, at addresses at which receivers of customers are as well.
  const published = hostsOf(PUBLIC_BASE_URL).map((host) => ({ ...host, isSharedAddress: true }));
  return [...servers, ...published, ...WEBHOOKS_REFUSED_HOSTS];
}

function hostsOf(text: string): readonly RefusedHost[] {
  const url = URL.parse(text.trim());
  if (url === null || url.hostname === '') return [];
  const host = url.hostname.replace(/^\[|\]$/g, '').toLowerCase();
  return [{ host, port: url.port === '' ? (usualPorts[url.protocol] ?? null) : Number(url.port) }];
}

const usualPorts: Readonly<Record<string, number>> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'nats:': 4222,
  'tls:': 4222,
  'http:': 80,
  'https:': 443,
};

import { createHmac } from 'node:crypto';
import { topology, type ServiceTopology } from '@switchboard/contracts/topology';

/** The announcement of a service to each of its callers over NATS: where it is reached when NATS is away. */
export interface Announcement {
  /** Base URL of one of its processes. */
  readonly url: string;
  /** Proves that the caller got the announcement: no other user may read it. */
  readonly token: string;
  /** Of the first one of a process: from now on it takes requests, and another may have ended before. */
  readonly isStart: boolean;
}

/** How often a service announces itself. */
export const ANNOUNCE_EVERY_MS = 2_000;

/** Subject of a service's announcements to one caller. */
export function announcementSubject(service: string, caller: string): string {
  return `announce.${service}.${caller}`;
}

/** The callers of a service, each with the subjects that it may ask. Source: the topology. */
export function callersOf(service: string): ReadonlyMap<string, ReadonlySet<string>> {
  const callers = new Map<string, ReadonlySet<string>>();
  for (const [caller, { calls }] of Object.entries<ServiceTopology>(topology)) {
    const subjects = calls.filter(({ owner }) => owner === service).map(({ subject }) => subject);
    if (subjects.length > 0) callers.set(caller, new Set(subjects));
  }
  return callers;
}

/**
 * The token of a caller at a service: the same for every replica and over restarts, so that a service that starts anew
 * while NATS is away is still reached.
 *
 * @param secret the service's own NATS password, which the token does not reveal
 */
export function callerToken(secret: string, service: string, caller: string): string {
  return createHmac('sha256', secret).update(`direct rpc: ${caller} to ${service}`).digest('base64url');
}

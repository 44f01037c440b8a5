import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import { inboxPrefix } from './connection.js';
import { announcementSubject } from './direct-link/announcement.js';
import { durableNames } from './durable-names.js';
import { incarnationRequest, incarnationSubject } from './incarnation-mirror.js';
import { wakeSubject } from './wake-ups.js';

/** What a NATS user may do in its account; the server's configuration is written from it: see `natsAccounts`. */
export interface NatsUser {
  readonly user: string;
  readonly permissions: { readonly publish: readonly string[]; readonly subscribe: readonly string[] };
}

/** The user of the step that makes streams and consumers; no service has its rights. */
export const PROVISIONER = 'provisioner';

/** The services that one asks, each once. */
export function calledServices({ calls }: Pick<ServiceTopology, 'calls'>): string[] {
  return [...new Set(calls.map(({ owner }) => owner))];
}

/**
 * Every user with exactly what the topology needs: a service publishes its own events, asks what it calls, answers
 * what it serves, and pulls and acknowledges its own consumers; `$JS.API.>` is the provisioner's alone.
 */
export function natsUsers(): NatsUser[] {
  const services = Object.entries<ServiceTopology>(topology);
  const users = services.map(([service, own]): NatsUser => {
    const served = new Set(own.serves.map(({ subject }) => subject));
    const callers = services.filter(([, other]) => other.calls.some(({ subject }) => served.has(subject)));
    return {
      user: service,
      permissions: {
        publish: [
          // Its relay compares the stream with what it has published; the stream's content is not readable by this.
          ...(own.stream ? [`${service}.>`, `$JS.API.STREAM.INFO.${own.stream}`, wakeSubject(service)] : []),
          ...(own.wakes ?? []).map((woken) => wakeSubject(service, woken)),
          // Which state of its database it has shown last; of the stream no other subject is readable by this.
          incarnationSubject(service),
          incarnationRequest(service),
          ...own.calls.map(({ subject }) => subject),
          // A caller's request comes from another account, with a reply subject that the server has made up for it.
          ...(callers.length > 0 ? ['_R_.>'] : []),
          ...callers.map(([caller]) => announcementSubject(service, caller)),
          ...own.consumes.flatMap((consumer) =>
            durableNames(consumer).flatMap((name) => [
              `$JS.API.CONSUMER.MSG.NEXT.${consumer.stream}.${name}`,
              `$JS.ACK.${consumer.stream}.${name}.>`,
            ]),
          ),
        ],
        subscribe: [
          `${inboxPrefix(service)}.>`,
          // Its replicas wake the one that publishes.
          ...(own.stream ? [wakeSubject(service)] : []),
          ...services.flatMap(([other, { wakes }]) => (wakes?.includes(service) ? wakeSubject(other, service) : [])),
          ...served,
          ...calledServices(own).map((called) => announcementSubject(called, service)),
        ],
      },
    };
  });
  return [
    ...users,
    {
      user: PROVISIONER,
      permissions: { publish: ['$JS.API.>'], subscribe: [`${inboxPrefix(PROVISIONER)}.>`] },
    },
  ];
}

import { topology, type ServiceTopology } from '@switchboard/contracts/topology';
import type { NatsConnection } from '@nats-io/transport-node';
import type { LinkState } from '../link-state.js';
import { calledServices } from '../nats-users.js';
import type { ServiceStarts } from '../rpc-over-nats.js';
import { Directory } from './directory.js';
import { RpcOverHttp } from './rpc-over-http.client.js';

/** A service's way to the services that it asks, for the time when NATS is away. ADR 0015 says why. */
export class DirectLink extends RpcOverHttp implements ServiceStarts {
  /** @param service whose link this is; it hears the announcements of what the topology says that it calls */
  constructor(connection: NatsConnection, link: LinkState, service: string) {
    const own = Object.entries<ServiceTopology>(topology).find(([name]) => name === service)?.[1];
    super(new Directory(connection, link, service, own ? calledServices(own) : []));
  }

  whenStarted(service: string, onStart: () => void): () => void {
    return this.directory.whenStarted(service, onStart);
  }

  /** URLs of the service's processes that could be asked directly now. */
  known(service: string): string[] {
    return this.directory.addresses(service).map(({ url }) => url);
  }
}

import type { Fault } from '../fault/fault.js';
import { killContacts } from './kill-contacts.fault.js';
import { killGateway } from './kill-gateway.fault.js';
import { killMessaging } from './kill-messaging.fault.js';
import { killSimulator } from './kill-simulator.fault.js';

/** Every fault, in the order of a run: leases that the first leave behind end while the others run. */
export const faults: readonly Fault[] = [killMessaging, killGateway, killContacts, killSimulator];

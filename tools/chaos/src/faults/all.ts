import type { Fault } from '../fault/fault.js';
import { clock } from './clock.fault.js';
import { diskFullNats } from './disk-full-nats.fault.js';
import { diskFullPostgres } from './disk-full-postgres.fault.js';
import { goaway } from './goaway.fault.js';
import { halfOpen } from './half-open.fault.js';
import { healthy } from './healthy.fault.js';
import { killDuringBulk } from './kill-during-bulk.fault.js';
import { killAnalytics } from './kill-analytics.fault.js';
import { killContacts } from './kill-contacts.fault.js';
import { killGateway } from './kill-gateway.fault.js';
import { killMessagingBurst } from './kill-messaging-burst.fault.js';
import { killMessaging } from './kill-messaging.fault.js';
import { killNats } from './kill-nats.fault.js';
import { killSimulator } from './kill-simulator.fault.js';
import { killWebhooks } from './kill-webhooks.fault.js';
import { lockedLane } from './locked-lane.fault.js';
import { lockedRow } from './locked-row.fault.js';
import { lockedRows } from './locked-rows.fault.js';
import { natsAway } from './nats-away.fault.js';
import { optOutFence } from './opt-out-fence.fault.js';
import { promotion } from './promotion.fault.js';
import { quotaRace } from './quota-race.fault.js';
import { restore } from './restore.fault.js';
import { snoozeRush } from './snooze-rush.fault.js';
import { stopInOrder } from './stop-in-order.fault.js';
import { stopPostgres } from './stop-postgres.fault.js';
import { storeLost } from './store-lost.fault.js';
import { twoRelays } from './two-relays.fault.js';
import { upstreamAway } from './upstream-away.fault.js';

/** Every fault, in the order of a run: leases that the first leave behind end while the others run. */
export const faults: readonly Fault[] = [
  healthy,
  killMessaging,
  killMessagingBurst,
  killGateway,
  killContacts,
  killAnalytics,
  killDuringBulk,
  killWebhooks,
  killSimulator,
  killNats,
  stopPostgres,
  twoRelays,
  stopInOrder,
  lockedRow,
  lockedRows,
  lockedLane,
  natsAway,
  upstreamAway,
  storeLost,
  restore,
  promotion,
  halfOpen,
  goaway,
  clock,
  optOutFence,
  quotaRace,
  snoozeRush,
  diskFullPostgres,
  diskFullNats,
];

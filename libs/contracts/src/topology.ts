import {
  analyticsErasuresConsumer,
  analyticsMessagesConsumer,
  analyticsOptOutsConsumer,
  analyticsRequestsConsumer,
  contactsChannelsConsumer,
  contactsOptOutsConsumer,
  gatewayChannelActsConsumer,
  gatewayContactActsConsumer,
  gatewayErasuresConsumer,
  gatewayWebhookActsConsumer,
  messagingCallbacksConsumer,
  messagingChangesConsumer,
  messagingContactsConsumer,
  messagingErasuresConsumer,
  messagingInboundConsumer,
  messagingJobsConsumer,
  messagingPreferencesConsumer,
  templatesCallbacksConsumer,
  templatesChannelsConsumer,
  templatesErasuresConsumer,
  templatesLanesConsumer,
  templatesOrganizationsConsumer,
  templatesOutcomesConsumer,
  templatesRefusalsConsumer,
  templatesSkippedConsumer,
  webhooksErasuresConsumer,
  webhooksMessagingConsumer,
  webhooksOptOutsConsumer,
  webhooksTemplatesConsumer,
  type ConsumerTopology,
} from './consumers.js';
import { resolveContactsRpc } from './contacts/rpc.js';
import type { RpcDefinition } from './grammar/define-rpc.js';
import { applySuppressionsRpc, forgetContactRpc, getChannelRpc, getQuotaRpc } from './messaging/rpc.js';
import { listCountedRpc } from './messaging/counted-rpc.js';
import { foreignLinesRpc } from './messaging/line-rpc.js';
import { listUpstreamTemplatesRpc } from './messaging/template-rpc.js';
import { getJobRpc, jobRequests } from './templates/job-rpc.js';
import {
  contactRequests,
  erasureRequests,
  templateRequests,
  messagingRequests,
  laneRequests,
  webhookRequests,
  reportRequests,
} from './request-groups.js';

/** Keys of a service's configuration beyond those that every service reads, as a deployment sets them. */
export interface ServiceSettings {
  /** Without a default; docker-compose.yml does not start without them. */
  readonly required: readonly string[];
  /** Handed on from the environment where they are set. */
  readonly optional: readonly string[];
  /** Names a folder that outlives the process: a volume in docker-compose.yml. */
  readonly folder?: string;
}

/**
 * The registration of a service. NATS users, streams and consumers, database roles and schemas, the local run, the image,
 * docker-compose.yml, `.env.example` and the scrape configuration all come from it.
 */
export interface ServiceTopology {
  readonly serves: readonly RpcDefinition[];
  readonly calls: readonly RpcDefinition[];
  /** Holds `<service>.>`: what its outbox publishes, which may be nothing yet. Null: it cannot publish. */
  readonly stream: string | null;
  readonly consumes: readonly ConsumerTopology[];
  /** Services whose replicas it wakes when there is something for them to ask for; a wake-up may be lost. */
  readonly wakes?: readonly string[];
  /** What its network allows: calls to hosts outside of the platform, and callers from there. Default: neither. */
  readonly outside?: 'calls' | 'listens';
  readonly settings?: ServiceSettings;
}

/** Every service. A new one is an entry here and a package `apps/<name>`; `npm run new-service -- <name>` writes both. */
export const topology = {
  gateway: {
    serves: [],
    calls: [
      ...messagingRequests,
      ...contactRequests,
      ...templateRequests,
      ...jobRequests,
      ...webhookRequests,
      ...reportRequests,
      foreignLinesRpc,
      ...erasureRequests,
    ],
    stream: 'GATEWAY',
    consumes: [
      gatewayErasuresConsumer,
      gatewayWebhookActsConsumer,
      gatewayContactActsConsumer,
      gatewayChannelActsConsumer,
    ],
    outside: 'listens',
    settings: {
      required: ['CLOUD_APP_SECRET', 'CLOUD_VERIFY_TOKEN', 'CREDENTIALS_KEY'],
      optional: [
        'CREDENTIALS_KEY_PREVIOUS',
        'GATEWAY_AUDIT_RETENTION_DAYS',
        'GATEWAY_HEADERS_TIMEOUT_MS',
        'GATEWAY_REQUEST_TIMEOUT_MS',
        'PUBLIC_BASE_URL',
        'TRUST_PROXY',
      ],
    },
  },
  messaging: {
    serves: [
      ...messagingRequests,
      ...laneRequests,
      getChannelRpc,
      applySuppressionsRpc,
      forgetContactRpc,
      foreignLinesRpc,
      listUpstreamTemplatesRpc,
      listCountedRpc,
    ],
    calls: [resolveContactsRpc, getJobRpc, ...erasureRequests],
    stream: 'MESSAGING',
    consumes: [
      messagingCallbacksConsumer,
      messagingInboundConsumer,
      messagingPreferencesConsumer,
      messagingChangesConsumer,
      messagingContactsConsumer,
      messagingJobsConsumer,
      messagingErasuresConsumer,
    ],
    outside: 'calls',
    settings: {
      required: ['CREDENTIALS_KEY'],
      optional: [
        'CREDENTIALS_KEY_PREVIOUS',
        'CLOUD_API_VERSION',
        'CLOUD_BASE_URL',
        'CLOUD_CA_FILE',
        'CLOUD_REQUEST_DEADLINE_MS',
        'CLOUD_CONNECTIONS_MAX',
        'MESSAGING_RETENTION_DAYS',
      ],
      folder: 'DISPATCH_JOURNAL_DIR',
    },
  },
  contacts: {
    serves: [resolveContactsRpc, ...contactRequests, ...erasureRequests],
    calls: [getChannelRpc, applySuppressionsRpc, forgetContactRpc],
    stream: 'CONTACTS',
    consumes: [contactsChannelsConsumer, contactsOptOutsConsumer],
    settings: { required: ['CREDENTIALS_KEY'], optional: ['CREDENTIALS_KEY_PREVIOUS', 'TEMPLATES_JOB_RETENTION_DAYS'] },
  },
  templates: {
    serves: [...templateRequests, ...jobRequests],
    calls: [listUpstreamTemplatesRpc, getQuotaRpc, foreignLinesRpc, ...laneRequests, ...erasureRequests],
    stream: 'TEMPLATES',
    consumes: [
      templatesChannelsConsumer,
      templatesCallbacksConsumer,
      templatesRefusalsConsumer,
      templatesOutcomesConsumer,
      templatesSkippedConsumer,
      templatesLanesConsumer,
      templatesOrganizationsConsumer,
      templatesErasuresConsumer,
    ],
    settings: { required: [], optional: ['TEMPLATES_SYNC_INTERVAL_SECONDS', 'TEMPLATES_JOB_RETENTION_DAYS'] },
  },
  webhooks: {
    serves: webhookRequests,
    calls: [...erasureRequests],
    stream: 'WEBHOOKS',
    consumes: [webhooksMessagingConsumer, webhooksOptOutsConsumer, webhooksTemplatesConsumer, webhooksErasuresConsumer],
    // Its topics are the organizations whose feed of events has grown.
    wakes: ['gateway'],
    outside: 'calls',
    settings: {
      required: ['CREDENTIALS_KEY'],
      optional: [
        'CREDENTIALS_KEY_PREVIOUS',
        'PUBLIC_BASE_URL',
        'WEBHOOKS_ALLOW_PRIVATE',
        'WEBHOOKS_CA_FILE',
        'WEBHOOKS_REFUSED_HOSTS',
        'WEBHOOKS_RETENTION_DAYS',
        'WEBHOOKS_TIME_SCALE',
      ],
    },
  },
  analytics: {
    serves: [...reportRequests],
    calls: [listCountedRpc, ...erasureRequests],
    stream: 'ANALYTICS',
    consumes: [
      analyticsMessagesConsumer,
      analyticsOptOutsConsumer,
      analyticsRequestsConsumer,
      analyticsErasuresConsumer,
    ],
  },
} as const satisfies Record<string, ServiceTopology>;

/** A service of the topology. */
export type ServiceName = keyof typeof topology;

/** The names of all services, in the order of their registration. */
export const serviceNames: readonly ServiceName[] = Object.keys(topology).filter(isServiceName);

function isServiceName(name: string): name is ServiceName {
  return name in topology;
}

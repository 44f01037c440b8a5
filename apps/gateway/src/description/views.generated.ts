// Generated from libs/contracts/src/*/http.ts: npm run check -- --write
import type { JsonSchema } from '@switchboard/openapi';

/** Every shape that HTTP shows, in JSON Schema by its public name; references lead to components. */
export const views = {
  AcceptedJob: {
    description: 'A bulk send as its 202 shows it.',
    type: 'object',
    properties: {
      id: {
        description: 'The id of the bulk send: `GET /v1/templates/send/{id}` reads it.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      status: {
        description: 'How far it has come.',
        type: 'string',
        enum: ['CANCELED', 'COMPLETED', 'HELD', 'PAUSED', 'QUEUED', 'RUNNING', 'SCHEDULED'],
      },
      total: { description: 'How many recipients it has.', type: 'integer' },
      createdAt: {
        description: 'When it was accepted.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['id', 'status', 'total', 'createdAt'],
  },
  ApiKey: {
    description: 'An API key as the application lists it.',
    type: 'object',
    properties: {
      id: { description: 'The id of the key.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      label: { description: 'What the key is for; seen in the application alone.', type: 'string' },
      prefix: {
        description: "The first 12 characters of the secret, to find it again in one's own configuration.",
        type: 'string',
      },
      scopes: {
        description: 'Null: all scopes.',
        anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
      },
      status: { description: 'Whether the key can be used.', type: 'string', enum: ['ACTIVE', 'REVOKED'] },
      createdAt: {
        description: 'When it was made.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      createdBy: {
        description: 'As they were called then; null for a key that no user made.',
        anyOf: [
          {
            type: 'object',
            properties: {
              id: { description: 'The id of the person.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
              email: { description: 'The email address of the person.', type: 'string' },
            },
            required: ['id', 'email'],
          },
          { type: 'null' },
        ],
      },
      lastUsedAt: {
        description: 'Of the last request that was answered 2xx; at most 5 s late.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      lastUsedAddress: { description: 'Where that request came from.', type: ['string', 'null'] },
      revokedAt: {
        description: 'When it was revoked; null while it is active.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'id',
      'label',
      'prefix',
      'scopes',
      'status',
      'createdAt',
      'createdBy',
      'lastUsedAt',
      'lastUsedAddress',
      'revokedAt',
    ],
  },
  AuditEntry: {
    description: 'One act of the audit log.',
    type: 'object',
    properties: {
      sequence: { description: 'Counts from 1 without a gap within the organization.', type: 'integer' },
      action: { description: 'For example `api-key.revoked`.', type: 'string' },
      actor: {
        description:
          'Who did it, as they were called then: an API key has its id, an operator has the name of his account as id, the platform itself nothing.',
        type: 'object',
        properties: {
          type: {
            description: 'What kind of actor it was.',
            type: 'string',
            enum: ['key', 'operator', 'system', 'user'],
          },
          id: { description: 'The id of the actor; null for the platform itself.', type: ['string', 'null'] },
          email: { description: 'The email address of a user; null for others.', type: ['string', 'null'] },
        },
        required: ['type', 'id', 'email'],
      },
      address: { description: 'Where the request came from.', type: ['string', 'null'] },
      traceId: { description: "The request's `X-Request-Id`.", type: ['string', 'null'] },
      at: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      before: { description: 'The values before the act; null when there were none.', type: ['object', 'null'] },
      after: { description: 'The state after the act; null: deleted.', type: ['object', 'null'] },
      hash: { description: '64 hex digits over this act and all before it.', type: 'string' },
    },
    required: ['sequence', 'action', 'actor', 'address', 'traceId', 'at', 'before', 'after', 'hash'],
  },
  Channel: {
    description: 'A channel as the API shows it; every field is always present.',
    type: 'object',
    properties: {
      id: {
        description: 'The id of the channel: what `messagingChannelId` names.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      name: { description: 'The verified name of the line.', type: 'string' },
      phone: { description: 'E.164.', type: 'string' },
      provider: { description: 'The provider.', type: 'string' },
      businessAccountId: {
        description: "The upstream provider's id of the business account that the line belongs to.",
        type: 'string',
      },
      isDefault: { description: 'Whether it is used where `messagingChannelId` is left out.', type: 'boolean' },
      status: {
        description: 'Whether messages can be sent from it.',
        type: 'string',
        enum: ['CONNECTED', 'DISCONNECTED'],
      },
      createdAt: {
        description: 'When it was first connected.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['id', 'name', 'phone', 'provider', 'businessAccountId', 'isDefault', 'status', 'createdAt'],
  },
  ChannelFacts: {
    description: 'A channel as other services know it.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      name: { type: 'string' },
      phone: { description: 'E.164.', type: 'string' },
      status: { type: 'string', enum: ['CONNECTED', 'DISCONNECTED'] },
      isDefault: { type: 'boolean' },
      defaultRegion: { description: 'ISO 3166-1 alpha-2: how numbers in national form are read.', type: 'string' },
      businessAccountId: {
        description:
          "The upstream's id of the account that the line belongs to. Absent only from senders of an older release.",
        type: 'string',
      },
    },
    required: ['id', 'name', 'phone', 'status', 'isDefault', 'defaultRegion'],
  },
  ChannelTestResult: {
    description: 'What the upstream said to the access token of a channel.',
    type: 'object',
    properties: {
      connected: { description: 'Whether the upstream provider accepted the token.', type: 'boolean' },
      error: {
        description: 'The reason when it is not; else null.',
        anyOf: [
          {
            type: 'object',
            properties: {
              code: { description: 'The code of the upstream provider, or one of ours.', type: 'string' },
              message: { description: 'The failure in words.', type: 'string' },
            },
            required: ['code', 'message'],
          },
          { type: 'null' },
        ],
      },
      durationMs: { description: 'How long the provider took, in milliseconds.', type: 'integer' },
    },
    required: ['connected', 'error', 'durationMs'],
  },
  Contact: {
    description: 'A contact as the API shows it; every field is always present.',
    type: 'object',
    properties: {
      id: { description: 'The id of the contact.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      phone: { description: 'E.164; empty for a sender whom the upstream names only by an id.', type: 'string' },
      messagingId: {
        description: "The upstream provider's id of the contact; until it is known, the digits of the number.",
        type: 'string',
      },
      name: { description: 'The name; null when it is not set.', type: ['string', 'null'] },
      email: { description: 'The email address; null when it is not set.', type: ['string', 'null'] },
      isOptedOut: {
        description: 'Every channel of the organization is covered: sending is refused on each.',
        type: 'boolean',
      },
      optedOutChannelIds: {
        description: 'Channels with an opt-out of their own.',
        type: 'array',
        items: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      },
      createdAt: {
        description: 'When it was created.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      updatedAt: {
        description: 'When its number, name, email, id at the provider or opt-outs last changed.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'id',
      'phone',
      'messagingId',
      'name',
      'email',
      'isOptedOut',
      'optedOutChannelIds',
      'createdAt',
      'updatedAt',
    ],
  },
  Conversation: {
    description: 'A conversation as the API and the events show it.',
    type: 'object',
    properties: {
      id: { description: 'The id of the conversation.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      status: {
        description: 'The status of the conversation in the inbox.',
        type: 'string',
        enum: ['ARCHIVED', 'CLOSED', 'OPEN', 'PENDING', 'SNOOZED'],
      },
      lastMessageAt: {
        description: 'When its newest message was accepted or came in; null before the first.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      createdAt: {
        description: 'When its first message created it.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      snoozedUntil: {
        description: 'When it returns to OPEN by itself; null unless it is SNOOZED until a time.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      messagingChannelId: {
        description: 'The channel of the conversation.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      contact: {
        description: 'The other side, with its current name and number.',
        type: 'object',
        properties: {
          id: { description: 'The id of the contact.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
          name: { description: 'The current name of the contact; null when it has none.', type: ['string', 'null'] },
          phone: {
            description:
              'The number of the contact in E.164; empty for a sender whom the upstream names only by an id.',
            type: 'string',
          },
          messagingId: {
            description: "The upstream provider's id of the contact; null while it has none.",
            type: ['string', 'null'],
          },
        },
        required: ['id', 'name', 'phone', 'messagingId'],
      },
    },
    required: ['id', 'status', 'lastMessageAt', 'createdAt', 'snoozedUntil', 'messagingChannelId', 'contact'],
  },
  ConversationWebhook: {
    description: 'The body of a webhook about a conversation.',
    type: 'object',
    properties: {
      event: {
        description: 'Which event it is.',
        type: 'string',
        enum: ['conversation.closed', 'conversation.opened'],
      },
      timestamp: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: {
        description: 'The organization that it happened in.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      data: {
        description: 'The event: its id and the resource in full.',
        type: 'object',
        properties: {
          id: {
            description:
              'Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by.',
            type: 'string',
            pattern: '^c[0-9a-z]{6,31}$',
          },
          sequence: {
            description: 'Grows within the conversation: what came later has the higher one.',
            type: 'integer',
          },
          conversation: {
            description: 'The conversation as the API shows it at the event; over 256 KB its id alone.',
            anyOf: [{ $ref: '#/components/schemas/Conversation' }, { $ref: '#/components/schemas/Summarised' }],
          },
        },
        required: ['id', 'sequence', 'conversation'],
      },
    },
    required: ['event', 'timestamp', 'organizationId', 'data'],
  },
  DeliveryFigures: {
    description: 'What became of outbound messages, by the time they were created.',
    type: 'object',
    properties: {
      accepted: { description: 'Outbound messages that were accepted.', type: 'integer' },
      sent: { description: 'Messages that reached this stage, whatever came later.', type: 'integer' },
      delivered: { description: "Messages that reached the recipient's device.", type: 'integer' },
      read: { description: 'Messages that the recipient opened.', type: 'integer' },
      failed: { description: 'Messages whose status is FAILED now.', type: 'integer' },
      deliveryRate: {
        description: 'Delivered messages of those sent, 0 to 1; null where none was sent.',
        type: ['number', 'null'],
      },
      readRate: { description: 'Read messages of those delivered.', type: ['number', 'null'] },
      failureRate: { description: 'Failed messages of those accepted.', type: ['number', 'null'] },
      secondsToDelivered: { description: 'From `sentAt` to `deliveredAt`.', $ref: '#/components/schemas/Percentiles' },
      secondsToRead: { description: 'From `sentAt` to `readAt`.', $ref: '#/components/schemas/Percentiles' },
      failuresByCode: {
        description: 'Of `failed`, most frequent first.',
        type: 'array',
        items: { $ref: '#/components/schemas/FailureCount' },
      },
    },
    required: [
      'accepted',
      'sent',
      'delivered',
      'read',
      'failed',
      'deliveryRate',
      'readRate',
      'failureRate',
      'secondsToDelivered',
      'secondsToRead',
      'failuresByCode',
    ],
  },
  DeliveryPoint: {
    description: 'The figures of a point.',
    type: 'object',
    properties: {
      start: {
        description: 'The first begins at `from`.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      accepted: { description: 'Outbound messages that were accepted.', type: 'integer' },
      sent: { description: 'Messages that reached this stage, whatever came later.', type: 'integer' },
      delivered: { description: "Messages that reached the recipient's device.", type: 'integer' },
      read: { description: 'Messages that the recipient opened.', type: 'integer' },
      failed: { description: 'Messages whose status is FAILED now.', type: 'integer' },
      deliveryRate: {
        description: 'Delivered messages of those sent, 0 to 1; null where none was sent.',
        type: ['number', 'null'],
      },
      readRate: { description: 'Read messages of those delivered.', type: ['number', 'null'] },
      failureRate: { description: 'Failed messages of those accepted.', type: ['number', 'null'] },
      secondsToDelivered: { description: 'From `sentAt` to `deliveredAt`.', $ref: '#/components/schemas/Percentiles' },
      secondsToRead: { description: 'From `sentAt` to `readAt`.', $ref: '#/components/schemas/Percentiles' },
      failuresByCode: {
        description: 'Of `failed`, most frequent first.',
        type: 'array',
        items: { $ref: '#/components/schemas/FailureCount' },
      },
    },
    required: [
      'start',
      'accepted',
      'sent',
      'delivered',
      'read',
      'failed',
      'deliveryRate',
      'readRate',
      'failureRate',
      'secondsToDelivered',
      'secondsToRead',
      'failuresByCode',
    ],
  },
  DeliveryReport: {
    description: 'What `GET /v1/analytics/delivery` answers.',
    type: 'object',
    properties: {
      totals: { description: 'The figures of the whole range.', $ref: '#/components/schemas/DeliveryFigures' },
      series: {
        description: 'Every point of the range, empty ones too.',
        type: 'array',
        items: { $ref: '#/components/schemas/DeliveryPoint' },
      },
      from: {
        description: 'Inclusive; rounded down to 15 minutes.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      to: {
        description: 'Exclusive; rounded up to 15 minutes.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      granularity: { description: 'How long a point of the series is.', type: 'string', enum: ['day', 'hour'] },
      timezone: { description: 'IANA name of the zone whose hours and days the points are.', type: 'string' },
    },
    required: ['totals', 'series', 'from', 'to', 'granularity', 'timezone'],
  },
  EndpointUse: {
    description: 'Requests to an endpoint that were answered with a class of status.',
    type: 'object',
    properties: {
      endpoint: { description: 'Method and route, as `POST /v1/messages`.', type: 'string' },
      statusClass: { description: '`2xx`, `4xx`, …', type: 'string' },
      requests: { description: 'How many requests were answered so.', type: 'integer' },
    },
    required: ['endpoint', 'statusClass', 'requests'],
  },
  EventFeed: {
    description: 'A page of the feed of events.',
    type: 'object',
    properties: {
      items: {
        description: 'The bodies of the webhooks, oldest first.',
        type: 'array',
        items: {
          anyOf: [
            { $ref: '#/components/schemas/ConversationWebhook' },
            { $ref: '#/components/schemas/MessageWebhook' },
            { $ref: '#/components/schemas/OptOutWebhook' },
            { $ref: '#/components/schemas/TemplateWebhook' },
          ],
        },
      },
      nextCursor: {
        description: 'Always present: come back with it as `cursor` and miss nothing.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
    },
    required: ['items', 'nextCursor'],
  },
  FailureCount: {
    description: 'How many messages failed with a code.',
    type: 'object',
    properties: {
      code: { description: 'Of the upstream, or one of ours.', type: 'string' },
      count: { description: 'Messages that failed with the code.', type: 'integer' },
    },
    required: ['code', 'count'],
  },
  Invite: {
    description: 'An invitation that is open.',
    type: 'object',
    properties: {
      id: { description: 'The id of the invitation.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      email: { description: 'The address of the invited person.', type: 'string' },
      role: { description: 'The role that the person gets.', type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
      createdAt: {
        description: 'When it was made.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      expiresAt: {
        description: 'Until when it can be accepted.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['id', 'email', 'role', 'createdAt', 'expiresAt'],
  },
  Job: {
    description: 'A bulk send as the API shows it; every field is always present.',
    type: 'object',
    properties: {
      id: { description: 'The id of the bulk send.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      status: {
        description: 'How far it has come.',
        type: 'string',
        enum: ['CANCELED', 'COMPLETED', 'HELD', 'PAUSED', 'QUEUED', 'RUNNING', 'SCHEDULED'],
      },
      heldReason: {
        description: 'Set while the status is HELD.',
        type: ['string', 'null'],
        enum: [
          'CHANNEL_BLOCKED',
          'CHANNEL_DISCONNECTED',
          'QUOTA',
          'SPAM_LIMIT',
          'SUBSCRIPTION',
          'TEMPLATE_NOT_APPROVED',
          null,
        ],
      },
      templateId: { description: 'The template that is sent.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      messagingChannelId: {
        description: 'The channel that it is sent from.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      throttlePerHour: {
        description: 'How many attempts in an hour at most; null: the rate of the channel alone.',
        type: ['integer', 'null'],
      },
      total: { description: 'How many recipients it has.', type: 'integer' },
      counts: {
        description: 'Recipients by status; together they are `total`.',
        $ref: '#/components/schemas/JobCounts',
      },
      createdAt: {
        description: 'When it was accepted.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      scheduledAt: {
        description: 'When it begins; null: at once.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      startedAt: {
        description: 'When its first recipient was taken up.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      completedAt: {
        description: 'When its last recipient left QUEUED, or when it was cancelled.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      estimatedCompletionAt: {
        description:
          'Null when it is not known: before the first recipients were taken up, while paused or held, and at the end.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'id',
      'status',
      'heldReason',
      'templateId',
      'messagingChannelId',
      'throttlePerHour',
      'total',
      'counts',
      'createdAt',
      'scheduledAt',
      'startedAt',
      'completedAt',
      'estimatedCompletionAt',
    ],
  },
  JobCounts: {
    description: "Recipients by status: each counts once, and together they are the job's `total`.",
    type: 'object',
    properties: {
      queued: { description: 'Recipients whose message is still to be sent.', type: 'integer' },
      unconfirmed: {
        description: 'Recipients whose message may have reached the provider: its answer is missing.',
        type: 'integer',
      },
      sent: { description: 'Recipients whose message the provider accepted.', type: 'integer' },
      delivered: { description: 'Recipients whose message reached their device.', type: 'integer' },
      read: { description: 'Recipients who opened the message.', type: 'integer' },
      failed: { description: 'Recipients whose message failed.', type: 'integer' },
      skipped: { description: 'Recipients that no message was made for.', type: 'integer' },
    },
    required: ['queued', 'unconfirmed', 'sent', 'delivered', 'read', 'failed', 'skipped'],
  },
  ManagedChannel: {
    description: 'A channel as the application shows it, without its access token.',
    type: 'object',
    properties: {
      id: {
        description: 'The id of the channel: what `messagingChannelId` names.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      phoneNumberId: { description: "The upstream's id of the line.", type: 'string' },
      defaultRegion: { description: 'ISO 3166-1 alpha-2: how numbers in national form are read.', type: 'string' },
      optOutKeywords: {
        description: 'Words that opt out on it in addition to the common ones.',
        type: 'array',
        items: { type: 'string' },
      },
      name: { description: 'The verified name of the line.', type: 'string' },
      phone: { description: 'E.164.', type: 'string' },
      provider: { description: 'The provider.', type: 'string' },
      businessAccountId: {
        description: "The upstream provider's id of the business account that the line belongs to.",
        type: 'string',
      },
      isDefault: { description: 'Whether it is used where `messagingChannelId` is left out.', type: 'boolean' },
      status: {
        description: 'Whether messages can be sent from it.',
        type: 'string',
        enum: ['CONNECTED', 'DISCONNECTED'],
      },
      createdAt: {
        description: 'When it was first connected.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'id',
      'phoneNumberId',
      'defaultRegion',
      'optOutKeywords',
      'name',
      'phone',
      'provider',
      'businessAccountId',
      'isDefault',
      'status',
      'createdAt',
    ],
  },
  Member: {
    description: 'A member of the organization.',
    type: 'object',
    properties: {
      id: { description: 'Of the membership, not of the person.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      user: { description: 'The person.', $ref: '#/components/schemas/User' },
      role: { description: 'What the member may do.', type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
      createdAt: {
        description: 'When the person joined.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['id', 'user', 'role', 'createdAt'],
  },
  Message: {
    description:
      'A message as the API and the webhooks show it; every field is always present, times are ISO 8601 in UTC.',
    type: 'object',
    properties: {
      id: {
        description: 'The id of the message; also the reference that the upstream provider gets with it.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      clientReference: {
        description: 'Your own name for it; neither unique nor sent to the contact.',
        type: ['string', 'null'],
      },
      metadata: {
        description: 'Your own notes, never sent to the contact; `{}` when there are none.',
        type: 'object',
        additionalProperties: { type: 'string' },
      },
      jobId: {
        description: 'The bulk send that it belongs to; null for a single send and an inbound message.',
        type: ['string', 'null'],
        pattern: '^c[0-9a-z]{6,31}$',
      },
      conversationId: {
        description: 'The conversation that it belongs to.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      contactId: {
        description: 'The contact that it was sent to, or came from.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      messagingChannelId: {
        description: 'The channel that it was sent from, or came in on.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      direction: {
        description: 'Whether the organization sent or received it.',
        type: 'string',
        enum: ['INBOUND', 'OUTBOUND'],
      },
      type: {
        description: 'What it holds: a text, a filled template, or something that is not shown.',
        type: 'string',
        enum: ['TEMPLATE', 'TEXT', 'UNSUPPORTED'],
      },
      unsupportedType: {
        description:
          "The provider's name of what is not shown, `image` for example; null unless `type` is UNSUPPORTED.",
        type: ['string', 'null'],
      },
      text: {
        description: 'The text; of a template, its body as it was filled; null where there is none.',
        type: ['string', 'null'],
      },
      template: {
        description: 'The template that it was made from, as it was named then; null for other messages.',
        anyOf: [
          {
            type: 'object',
            properties: {
              id: { description: 'The id of the template.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
              name: { description: 'The name of the template.', type: 'string' },
              language: { description: 'The language of the template, `en_US` for example.', type: 'string' },
            },
            required: ['id', 'name', 'language'],
          },
          { type: 'null' },
        ],
      },
      status: {
        description: 'How far it has come. It only rises: QUEUED, SENT, FAILED, DELIVERED, READ.',
        type: 'string',
        enum: ['DELIVERED', 'FAILED', 'QUEUED', 'READ', 'RECEIVED', 'SENT'],
      },
      upstreamMessageId: {
        description: "The upstream provider's id of it; null until the provider accepted it.",
        type: ['string', 'null'],
      },
      error: {
        description: 'Why it failed; null unless `status` is FAILED.',
        anyOf: [
          {
            type: 'object',
            properties: {
              code: {
                description:
                  '`UPSTREAM_OUTCOME_UNKNOWN`, another code of ours, or that of the upstream provider, `131026` for example.',
                type: 'string',
              },
              message: { description: 'The failure in words; it may change.', type: 'string' },
            },
            required: ['code', 'message'],
          },
          { type: 'null' },
        ],
      },
      createdAt: {
        description: 'When it was accepted, or came in.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      sentAt: {
        description: 'When the request that the provider accepted was made; null before, and for inbound messages.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      deliveredAt: {
        description: "When it reached the recipient's device; null until then.",
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      readAt: {
        description: 'When the recipient opened it; null until then.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      failedAt: {
        description: 'When it failed; null unless `status` is FAILED.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'id',
      'clientReference',
      'metadata',
      'jobId',
      'conversationId',
      'contactId',
      'messagingChannelId',
      'direction',
      'type',
      'unsupportedType',
      'text',
      'template',
      'status',
      'upstreamMessageId',
      'error',
      'createdAt',
      'sentAt',
      'deliveredAt',
      'readAt',
      'failedAt',
    ],
  },
  MessageTimeline: {
    description: 'Every step of a message, the first one first.',
    type: 'object',
    properties: {
      items: { description: 'The steps so far.', type: 'array', items: { $ref: '#/components/schemas/TimelineItem' } },
    },
    required: ['items'],
  },
  MessageWebhook: {
    description: 'The body of a webhook about a message.',
    type: 'object',
    properties: {
      event: {
        description: 'Which event it is.',
        type: 'string',
        enum: ['message.delivered', 'message.failed', 'message.read', 'message.received', 'message.sent'],
      },
      timestamp: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: {
        description: 'The organization that it happened in.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      data: {
        description: 'The event: its id and the resource in full.',
        type: 'object',
        properties: {
          id: {
            description:
              'Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by.',
            type: 'string',
            pattern: '^c[0-9a-z]{6,31}$',
          },
          sequence: {
            description: 'Grows within the conversation: what came later has the higher one.',
            type: 'integer',
          },
          message: {
            description: 'The message as the API shows it at the event; over 256 KB its id alone.',
            anyOf: [{ $ref: '#/components/schemas/Message' }, { $ref: '#/components/schemas/Summarised' }],
          },
        },
        required: ['id', 'sequence', 'message'],
      },
    },
    required: ['event', 'timestamp', 'organizationId', 'data'],
  },
  NewApiKey: {
    description: 'An API key as its maker sees it, once.',
    type: 'object',
    properties: {
      secret: { description: 'The key itself. It is not stored and never shown again.', type: 'string' },
      hint: { description: 'What the maker should think of; null mostly.', type: ['string', 'null'] },
      id: { description: 'The id of the key.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      label: { description: 'What the key is for; seen in the application alone.', type: 'string' },
      prefix: {
        description: "The first 12 characters of the secret, to find it again in one's own configuration.",
        type: 'string',
      },
      scopes: {
        description: 'Null: all scopes.',
        anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
      },
      status: { description: 'Whether the key can be used.', type: 'string', enum: ['ACTIVE', 'REVOKED'] },
      createdAt: {
        description: 'When it was made.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      createdBy: {
        description: 'As they were called then; null for a key that no user made.',
        anyOf: [
          {
            type: 'object',
            properties: {
              id: { description: 'The id of the person.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
              email: { description: 'The email address of the person.', type: 'string' },
            },
            required: ['id', 'email'],
          },
          { type: 'null' },
        ],
      },
      lastUsedAt: {
        description: 'Of the last request that was answered 2xx; at most 5 s late.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      lastUsedAddress: { description: 'Where that request came from.', type: ['string', 'null'] },
      revokedAt: {
        description: 'When it was revoked; null while it is active.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'secret',
      'hint',
      'id',
      'label',
      'prefix',
      'scopes',
      'status',
      'createdAt',
      'createdBy',
      'lastUsedAt',
      'lastUsedAddress',
      'revokedAt',
    ],
  },
  NewInvite: {
    description: 'An invitation as its maker sees it, once.',
    type: 'object',
    properties: {
      link: {
        description: 'A secret for the invited person alone: its holder can accept the invitation.',
        type: 'string',
      },
      token: { description: 'What the link carries behind its `#`.', type: 'string' },
      id: { description: 'The id of the invitation.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      email: { description: 'The address of the invited person.', type: 'string' },
      role: { description: 'The role that the person gets.', type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
      createdAt: {
        description: 'When it was made.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      expiresAt: {
        description: 'Until when it can be accepted.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['link', 'token', 'id', 'email', 'role', 'createdAt', 'expiresAt'],
  },
  NewSecondFactor: {
    description: 'A second factor that waits for its first code; shown once.',
    type: 'object',
    properties: {
      seed: { description: 'In base 32: what an authenticator app asks for.', type: 'string' },
      uri: { description: 'The same as an address `otpauth://totp/…`, mostly shown as a QR code.', type: 'string' },
    },
    required: ['seed', 'uri'],
  },
  NewWebhook: {
    description: 'A webhook that was just registered, with its secret.',
    type: 'object',
    properties: {
      secret: { description: '`whsec_` and base 64: what signs every request.', type: 'string' },
      id: { description: 'The id of the webhook.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      url: { description: 'Where events are sent.', type: 'string' },
      events: {
        description: 'The events that are sent.',
        type: 'array',
        items: {
          type: 'string',
          enum: [
            'conversation.closed',
            'conversation.opened',
            'message.delivered',
            'message.failed',
            'message.read',
            'message.received',
            'message.sent',
            'optout.created',
            'template.status_updated',
          ],
        },
      },
      description: { description: 'What it is for; null when that was not said.', type: ['string', 'null'] },
      status: { description: 'Whether events are sent to it.', type: 'string', enum: ['ACTIVE', 'DEACTIVATED'] },
      deactivatedAt: {
        description: 'Null while it is active.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      deactivatedReason: { description: 'A sentence; null while it is active.', type: ['string', 'null'] },
      consecutiveFailures: {
        description: 'Failed attempts since the last 2xx; at 10 it is deactivated.',
        type: 'integer',
      },
      createdAt: {
        description: 'When it was registered.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      updatedAt: {
        description: 'When it last changed.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'secret',
      'id',
      'url',
      'events',
      'description',
      'status',
      'deactivatedAt',
      'deactivatedReason',
      'consecutiveFailures',
      'createdAt',
      'updatedAt',
    ],
  },
  OptOut: {
    description: 'An opt-out as the API and the events show it; every field is always present.',
    type: 'object',
    properties: {
      id: { description: 'The id of the opt-out.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      contactId: { description: 'The contact that opted out.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      phone: {
        description: 'The number of the contact in E.164; empty for a sender whom the upstream names only by an id.',
        type: 'string',
      },
      messagingChannelId: {
        description: 'Null: all channels, those that come later too.',
        type: ['string', 'null'],
        pattern: '^c[0-9a-z]{6,31}$',
      },
      source: { description: 'What recorded it.', type: 'string', enum: ['API', 'CONSOLE', 'KEYWORD', 'UPSTREAM'] },
      reason: { description: 'The reason that was given; null when none was.', type: ['string', 'null'] },
      createdAt: {
        description: 'When it was recorded.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['id', 'contactId', 'phone', 'messagingChannelId', 'source', 'reason', 'createdAt'],
  },
  OptOutWebhook: {
    description: 'The body of a webhook about an opt-out: one for each channel covered.',
    type: 'object',
    properties: {
      event: { description: 'Which event it is.', type: 'string', enum: ['optout.created'] },
      timestamp: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: {
        description: 'The organization that it happened in.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      data: {
        description: 'The event: its id and the resource in full.',
        type: 'object',
        properties: {
          id: {
            description:
              'Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by.',
            type: 'string',
            pattern: '^c[0-9a-z]{6,31}$',
          },
          messagingChannelId: {
            description: 'The channel that it covers; that of the opt-out may be null.',
            type: 'string',
            pattern: '^c[0-9a-z]{6,31}$',
          },
          optOut: {
            description: 'The opt-out as the API shows it at the event; over 256 KB its id alone.',
            anyOf: [{ $ref: '#/components/schemas/OptOut' }, { $ref: '#/components/schemas/Summarised' }],
          },
        },
        required: ['id', 'messagingChannelId', 'optOut'],
      },
    },
    required: ['event', 'timestamp', 'organizationId', 'data'],
  },
  Organization: {
    description: 'The organization of the session.',
    type: 'object',
    properties: {
      id: { description: "The organization's own.", type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      name: { description: 'Its name.', type: 'string' },
      isSecondFactorRequired: { description: 'Whether every member must have a second factor.', type: 'boolean' },
    },
    required: ['id', 'name', 'isSecondFactorRequired'],
  },
  OwnOrganization: {
    description: 'An organization that the person belongs to.',
    type: 'object',
    properties: {
      id: { description: 'The id of the organization.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      name: { description: 'The name of the organization.', type: 'string' },
      role: { description: "The person's role in it.", type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
    },
    required: ['id', 'name', 'role'],
  },
  OwnSession: {
    description: 'One of the open sessions of the person.',
    type: 'object',
    properties: {
      id: { description: "The session's own.", type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      device: {
        description: 'The browser and its system in a few words, as it says itself; null where it says nothing.',
        type: ['string', 'null'],
      },
      address: { description: 'The network address that it was used from last.', type: ['string', 'null'] },
      organization: {
        description: 'The organization that it is in.',
        type: 'object',
        properties: {
          id: { description: "The organization's own.", type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
          name: { description: 'Its name.', type: 'string' },
        },
        required: ['id', 'name'],
      },
      createdAt: {
        description: 'When the password was given.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      lastUsedAt: {
        description: 'At most a minute late.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      isCurrent: { description: 'Whether it is the session that asks.', type: 'boolean' },
    },
    required: ['id', 'device', 'address', 'organization', 'createdAt', 'lastUsedAt', 'isCurrent'],
  },
  Percentiles: {
    description:
      'Percentiles of a time, in seconds, each within `relativeError` of the true value; null where nothing was measured.',
    type: 'object',
    properties: {
      p50: {
        description: 'Half of the messages took no longer; null where nothing was measured.',
        type: ['number', 'null'],
      },
      p95: {
        description: '95 of 100 messages took no longer; null where nothing was measured.',
        type: ['number', 'null'],
      },
      relativeError: { description: 'Largest error, as a part of the value: 0.02 is 2 %.', type: 'number' },
    },
    required: ['p50', 'p95', 'relativeError'],
  },
  Ping: {
    description: 'The answer to `GET /v1/ping`.',
    type: 'object',
    properties: {
      ok: { description: 'Always true: the key is good.', type: 'boolean', enum: [true] },
      organizationId: {
        description: 'The organization that the key acts for.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
    },
    required: ['ok', 'organizationId'],
  },
  Plan: {
    description: 'What the organization pays for.',
    type: 'object',
    properties: {
      plan: { description: 'The name of the plan.', type: 'string' },
      subscriptionStatus: {
        description: 'Whether the subscription is paid for.',
        type: 'string',
        enum: ['ACTIVE', 'CANCELED', 'PAST_DUE'],
      },
      limits: {
        description: "With an operator's exceptions for this organization.",
        $ref: '#/components/schemas/PlanLimits',
      },
      excludedScopes: {
        description: 'Scopes that the plan does not include.',
        type: 'array',
        items: { type: 'string' },
      },
      seatsTaken: { description: 'Members and open invitations.', type: 'integer' },
      usage: {
        description: "This month's messages; null while the count is not available.",
        anyOf: [{ $ref: '#/components/schemas/PlanUsage' }, { type: 'null' }],
      },
    },
    required: ['plan', 'subscriptionStatus', 'limits', 'excludedScopes', 'seatsTaken', 'usage'],
  },
  PlanLimits: {
    description: 'The numbers of a plan.',
    type: 'object',
    properties: {
      requestsPerMinute: { description: 'Requests in a minute, over all keys.', type: 'integer' },
      requestBurst: { description: 'Requests that an organization at rest may make at once.', type: 'integer' },
      messagesPerMonth: { description: 'Outbound messages in a UTC month.', type: 'integer' },
      channels: { description: 'Connected channels.', type: 'integer' },
      seats: { description: 'Members and open invitations.', type: 'integer' },
    },
    required: ['requestsPerMinute', 'requestBurst', 'messagesPerMonth', 'channels', 'seats'],
  },
  PlanUsage: {
    description: "What was used of a month's messages.",
    type: 'object',
    properties: {
      month: { description: 'In UTC: `YYYY-MM`.', type: 'string' },
      messages: { description: 'Outbound messages that count in the month.', type: 'integer' },
    },
    required: ['month', 'messages'],
  },
  QuotaFigures: {
    description: 'The quota of the present UTC month.',
    type: 'object',
    properties: {
      month: { description: '`2026-11`.', type: 'string' },
      used: { description: 'Messages that count in the month.', type: 'integer' },
      limit: { description: 'Null: unlimited.', type: ['integer', 'null'] },
      left: {
        description: 'Messages that may still be sent in the month; null: unlimited.',
        type: ['integer', 'null'],
      },
    },
    required: ['month', 'used', 'limit', 'left'],
  },
  Recipient: {
    description: 'A recipient of a bulk send as the API shows it; every field is always present.',
    type: 'object',
    properties: {
      index: { description: 'Position in the request, from 0.', type: 'integer' },
      to: { description: 'E.164 of the form that was given.', type: 'string' },
      status: {
        description: 'How far the message of the recipient has come.',
        type: 'string',
        enum: ['DELIVERED', 'FAILED', 'QUEUED', 'READ', 'SENT', 'SKIPPED', 'UNCONFIRMED'],
      },
      reason: {
        description:
          'Code of the failure, or why it was skipped: `DUPLICATE`, `OPTED_OUT`, `JOB_CANCELED`, `ERASED`; null otherwise.',
        type: ['string', 'null'],
      },
      messageId: {
        description: 'Null until the recipient is taken up, and for one that was skipped before.',
        type: ['string', 'null'],
        pattern: '^c[0-9a-z]{6,31}$',
      },
    },
    required: ['index', 'to', 'status', 'reason', 'messageId'],
  },
  RecoveryCodes: {
    description: 'Codes for when the authenticator is lost; shown once.',
    type: 'object',
    properties: {
      recoveryCodes: { description: 'Ten, each of which can be used once.', type: 'array', items: { type: 'string' } },
    },
    required: ['recoveryCodes'],
  },
  ReportSpan: {
    description: 'What a report covers.',
    type: 'object',
    properties: {
      from: {
        description: 'Inclusive; rounded down to 15 minutes.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      to: {
        description: 'Exclusive; rounded up to 15 minutes.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      granularity: { description: 'How long a point of the series is.', type: 'string', enum: ['day', 'hour'] },
      timezone: { description: 'IANA name of the zone whose hours and days the points are.', type: 'string' },
    },
    required: ['from', 'to', 'granularity', 'timezone'],
  },
  Sandbox: {
    description: 'What the sandbox of the local run offers.',
    type: 'object',
    properties: {
      recipients: {
        description: 'The numbers to which messages go in a way of their own.',
        type: 'array',
        items: { $ref: '#/components/schemas/SandboxRecipient' },
      },
    },
    required: ['recipients'],
  },
  SandboxRecipient: {
    description: 'A recipient of the sandbox that behaves in a way of its own.',
    type: 'object',
    properties: {
      phone: { description: 'Its number, E.164.', type: 'string' },
      effect: { description: 'What becomes of a message to it.', type: 'string' },
    },
    required: ['phone', 'effect'],
  },
  SecondFactor: {
    description: 'The second factor of the person.',
    type: 'object',
    properties: {
      isEnabled: { description: 'Whether signing in asks for a code.', type: 'boolean' },
      isRequired: { description: 'Whether the organization of the session requires one.', type: 'boolean' },
      enabledAt: {
        description: 'When its first code was given; null where signing in asks for none.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      recoveryCodesLeft: { description: 'Each can be used once, in place of a code.', type: 'integer' },
    },
    required: ['isEnabled', 'isRequired', 'enabledAt', 'recoveryCodesLeft'],
  },
  SentMessageResult: {
    description: 'The answer to `POST /v1/messages`.',
    type: 'object',
    properties: {
      id: {
        description: 'The id of the message: `GET /v1/messages/{id}` reads it.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      conversationId: {
        description: 'The conversation that it belongs to.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      contactId: {
        description: 'The contact that it is sent to; created when the number was new.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      upstreamMessageId: {
        description:
          "The upstream provider's id of it; null while the message is QUEUED: it is settled in the background.",
        type: ['string', 'null'],
      },
    },
    required: ['id', 'conversationId', 'contactId', 'upstreamMessageId'],
  },
  Session: {
    description: 'Who is signed in, and where; the answer of everything that begins or changes a session.',
    type: 'object',
    properties: {
      user: { description: 'The person that is signed in.', $ref: '#/components/schemas/User' },
      organization: {
        description: 'The organization that the session acts for.',
        type: 'object',
        properties: {
          id: { description: 'The id of the organization.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
          name: { description: 'The name of the organization.', type: 'string' },
        },
        required: ['id', 'name'],
      },
      role: {
        description: "The person's role in the organization.",
        type: 'string',
        enum: ['ADMIN', 'MEMBER', 'OWNER'],
      },
      csrfToken: {
        description:
          'Goes into the header `X-CSRF-Token` of every request that is not a GET; changes with the session.',
        type: 'string',
      },
      secondFactor: {
        description:
          'Whether the person has one, and whether the organization requires one: then, without it, they can only enable it.',
        type: 'object',
        properties: {
          isEnabled: { description: 'Whether signing in asks for a code.', type: 'boolean' },
          isRequired: { description: 'Whether the organization of the session requires one.', type: 'boolean' },
        },
        required: ['isEnabled', 'isRequired'],
      },
      organizations: {
        description: 'All that the person belongs to, by name.',
        type: 'array',
        items: { $ref: '#/components/schemas/OwnOrganization' },
      },
    },
    required: ['user', 'organization', 'role', 'csrfToken', 'secondFactor', 'organizations'],
  },
  Summarised: {
    description: 'Stands for a resource whose event would be larger than 256 KB: read it by its id.',
    type: 'object',
    properties: {
      id: { description: 'The id of the resource.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      summarised: {
        description: 'Always true: the resource was too large to be sent in full.',
        type: 'boolean',
        enum: [true],
      },
    },
    required: ['id', 'summarised'],
  },
  Template: {
    description: 'A message template in full; every field is always present.',
    type: 'object',
    properties: {
      id: { description: 'The id of the template.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      source: {
        description: 'Where the template comes from: always the upstream provider.',
        type: 'string',
        enum: ['upstream'],
      },
      name: {
        description: 'The name of the template, unique with its language in the business account.',
        type: 'string',
      },
      language: { description: 'The language of the template, `en_US` for example.', type: 'string' },
      status: {
        description: "The provider's verdict on it; only APPROVED templates are sent.",
        type: 'string',
        enum: ['APPROVED', 'DISABLED', 'DRAFT', 'PAUSED', 'PENDING', 'REJECTED'],
      },
      businessAccountId: {
        description: "The upstream provider's id of the business account that owns it.",
        type: 'string',
      },
      messagingChannelId: {
        description: 'The default channel of the account; each channel of the account can send the template.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      upstreamTemplateId: { description: "The upstream provider's id of the template.", type: 'string' },
      category: {
        description: 'As the upstream provider calls it: `MARKETING`, `UTILITY`, `AUTHENTICATION`.',
        type: 'string',
      },
      components: {
        description: 'Header, body, footer and buttons, in the form of the upstream provider.',
        type: 'array',
        items: { type: 'object' },
      },
      parameterFormat: {
        description: 'Whether its variables are counted or named.',
        type: 'string',
        enum: ['NAMED', 'POSITIONAL'],
      },
      variables: {
        description: 'What a send must give values for, in this order: header, body, buttons.',
        type: 'array',
        items: { $ref: '#/components/schemas/TemplateVariable' },
      },
      createdAt: {
        description: 'When it was first seen at the provider.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      updatedAt: {
        description: 'When it last changed.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'id',
      'source',
      'name',
      'language',
      'status',
      'businessAccountId',
      'messagingChannelId',
      'upstreamTemplateId',
      'category',
      'components',
      'parameterFormat',
      'variables',
      'createdAt',
      'updatedAt',
    ],
  },
  TemplateCounts: {
    description: 'What became of messages made from templates.',
    type: 'object',
    properties: {
      sent: { description: 'Messages that the provider accepted.', type: 'integer' },
      delivered: { description: "Messages that reached the recipient's device.", type: 'integer' },
      read: { description: 'Messages that the recipient opened.', type: 'integer' },
      replied: {
        description: 'Messages after which the contact wrote within 72 hours, before the next template was sent to it.',
        type: 'integer',
      },
      optedOut: {
        description:
          'Messages after which the contact opted out within 72 hours, before the next template was sent to it.',
        type: 'integer',
      },
    },
    required: ['sent', 'delivered', 'read', 'replied', 'optedOut'],
  },
  TemplateFigures: {
    description: 'The counts of all templates, and of each that was sent, most sent first.',
    type: 'object',
    properties: {
      templates: {
        description: 'The counts of each template that was sent, most sent first.',
        type: 'array',
        items: { $ref: '#/components/schemas/TemplateUse' },
      },
      sent: { description: 'Messages that the provider accepted.', type: 'integer' },
      delivered: { description: "Messages that reached the recipient's device.", type: 'integer' },
      read: { description: 'Messages that the recipient opened.', type: 'integer' },
      replied: {
        description: 'Messages after which the contact wrote within 72 hours, before the next template was sent to it.',
        type: 'integer',
      },
      optedOut: {
        description:
          'Messages after which the contact opted out within 72 hours, before the next template was sent to it.',
        type: 'integer',
      },
    },
    required: ['templates', 'sent', 'delivered', 'read', 'replied', 'optedOut'],
  },
  TemplatePoint: {
    description: 'The figures of a point.',
    type: 'object',
    properties: {
      start: {
        description: 'The first begins at `from`.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      templates: {
        description: 'The counts of each template that was sent, most sent first.',
        type: 'array',
        items: { $ref: '#/components/schemas/TemplateUse' },
      },
      sent: { description: 'Messages that the provider accepted.', type: 'integer' },
      delivered: { description: "Messages that reached the recipient's device.", type: 'integer' },
      read: { description: 'Messages that the recipient opened.', type: 'integer' },
      replied: {
        description: 'Messages after which the contact wrote within 72 hours, before the next template was sent to it.',
        type: 'integer',
      },
      optedOut: {
        description:
          'Messages after which the contact opted out within 72 hours, before the next template was sent to it.',
        type: 'integer',
      },
    },
    required: ['start', 'templates', 'sent', 'delivered', 'read', 'replied', 'optedOut'],
  },
  TemplateReport: {
    description: 'What `GET /v1/analytics/templates` answers.',
    type: 'object',
    properties: {
      totals: { description: 'The figures of the whole range.', $ref: '#/components/schemas/TemplateFigures' },
      series: {
        description: 'Every point of the range, empty ones too.',
        type: 'array',
        items: { $ref: '#/components/schemas/TemplatePoint' },
      },
      from: {
        description: 'Inclusive; rounded down to 15 minutes.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      to: {
        description: 'Exclusive; rounded up to 15 minutes.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      granularity: { description: 'How long a point of the series is.', type: 'string', enum: ['day', 'hour'] },
      timezone: { description: 'IANA name of the zone whose hours and days the points are.', type: 'string' },
    },
    required: ['totals', 'series', 'from', 'to', 'granularity', 'timezone'],
  },
  TemplateUse: {
    description: 'The counts of one template.',
    type: 'object',
    properties: {
      templateId: { description: 'The id of the template.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      name: { description: 'The name of the template.', type: 'string' },
      language: { description: 'The language of the template.', type: 'string' },
      sent: { description: 'Messages that the provider accepted.', type: 'integer' },
      delivered: { description: "Messages that reached the recipient's device.", type: 'integer' },
      read: { description: 'Messages that the recipient opened.', type: 'integer' },
      replied: {
        description: 'Messages after which the contact wrote within 72 hours, before the next template was sent to it.',
        type: 'integer',
      },
      optedOut: {
        description:
          'Messages after which the contact opted out within 72 hours, before the next template was sent to it.',
        type: 'integer',
      },
    },
    required: ['templateId', 'name', 'language', 'sent', 'delivered', 'read', 'replied', 'optedOut'],
  },
  TemplateVariable: {
    description: 'A value that a send must give.',
    type: 'object',
    properties: {
      name: { description: 'Positional ones are called by their number.', type: 'string' },
      in: {
        description: 'The part of the template that it fills.',
        type: 'string',
        enum: ['BODY', 'BUTTON', 'HEADER'],
      },
    },
    required: ['name', 'in'],
  },
  TemplateWebhook: {
    description: 'The body of a webhook about a template.',
    type: 'object',
    properties: {
      event: { description: 'Which event it is.', type: 'string', enum: ['template.status_updated'] },
      timestamp: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: {
        description: 'The organization that it happened in.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      data: {
        description: 'The event: its id and the resource in full.',
        type: 'object',
        properties: {
          id: {
            description:
              'Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by.',
            type: 'string',
            pattern: '^c[0-9a-z]{6,31}$',
          },
          template: {
            description: 'The template as the API shows it at the event; over 256 KB its id alone.',
            anyOf: [{ $ref: '#/components/schemas/Summarised' }, { $ref: '#/components/schemas/Template' }],
          },
        },
        required: ['id', 'template'],
      },
    },
    required: ['event', 'timestamp', 'organizationId', 'data'],
  },
  TestWebhook: {
    description: 'The body of a test, sent by hand from the application.',
    type: 'object',
    properties: {
      event: { description: 'Which event it is.', type: 'string', enum: ['webhook.test'] },
      timestamp: {
        description: 'When it was asked for.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: {
        description: 'The organization that it happened in.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      data: {
        description: 'The test: its id alone.',
        type: 'object',
        properties: { id: { description: 'Unique to the test.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' } },
        required: ['id'],
      },
    },
    required: ['event', 'timestamp', 'organizationId', 'data'],
  },
  TimelineItem: {
    description: 'A step of a message as services answer it. It holds no text, token or phone number.',
    type: 'object',
    properties: {
      at: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      what: {
        description: 'What happened, in plain words.',
        type: 'string',
        enum: [
          'accepted',
          'delivered',
          'failed',
          'handed to the provider',
          'not handed to the provider',
          'outcome unknown',
          'read',
          'received',
          'refused',
          'retry scheduled',
          'sent',
          'waiting',
          'webhook informed',
          'webhook not informed',
          'webhook pending',
          'webhooks not available',
        ],
      },
      detail: {
        description: 'The same in a sentence, with codes, ids and times; for people, its wording may change.',
        type: 'string',
      },
    },
    required: ['at', 'what', 'detail'],
  },
  UsageFigures: {
    description: 'What was asked of the API, and what went in and out.',
    type: 'object',
    properties: {
      requests: { description: 'Requests with a key.', type: 'integer' },
      requestsByEndpoint: {
        description: 'The same by endpoint and class of status.',
        type: 'array',
        items: { $ref: '#/components/schemas/EndpointUse' },
      },
      messagesIn: { description: 'Inbound messages.', type: 'integer' },
      messagesOut: { description: 'Outbound messages that were accepted.', type: 'integer' },
    },
    required: ['requests', 'requestsByEndpoint', 'messagesIn', 'messagesOut'],
  },
  UsagePoint: {
    description: 'The figures of a point.',
    type: 'object',
    properties: {
      start: {
        description: 'The first begins at `from`.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      requests: { description: 'Requests with a key.', type: 'integer' },
      requestsByEndpoint: {
        description: 'The same by endpoint and class of status.',
        type: 'array',
        items: { $ref: '#/components/schemas/EndpointUse' },
      },
      messagesIn: { description: 'Inbound messages.', type: 'integer' },
      messagesOut: { description: 'Outbound messages that were accepted.', type: 'integer' },
    },
    required: ['start', 'requests', 'requestsByEndpoint', 'messagesIn', 'messagesOut'],
  },
  UsageReport: {
    description: 'What `GET /v1/analytics/usage` answers.',
    type: 'object',
    properties: {
      totals: { description: 'The figures of the whole range.', $ref: '#/components/schemas/UsageFigures' },
      series: {
        description: 'Every point of the range, empty ones too.',
        type: 'array',
        items: { $ref: '#/components/schemas/UsagePoint' },
      },
      quota: {
        description: "The quota of the present UTC month, whatever the report's range.",
        $ref: '#/components/schemas/QuotaFigures',
      },
      from: {
        description: 'Inclusive; rounded down to 15 minutes.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      to: {
        description: 'Exclusive; rounded up to 15 minutes.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      granularity: { description: 'How long a point of the series is.', type: 'string', enum: ['day', 'hour'] },
      timezone: { description: 'IANA name of the zone whose hours and days the points are.', type: 'string' },
    },
    required: ['totals', 'series', 'quota', 'from', 'to', 'granularity', 'timezone'],
  },
  User: {
    description: 'A person as the application shows them.',
    type: 'object',
    properties: {
      id: { description: 'The id of the person.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      email: { description: 'In small letters.', type: 'string' },
      name: { description: 'The name of the person.', type: 'string' },
    },
    required: ['id', 'email', 'name'],
  },
  Webhook: {
    description: "A webhook as the application's API shows it, without its secret.",
    type: 'object',
    properties: {
      id: { description: 'The id of the webhook.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      url: { description: 'Where events are sent.', type: 'string' },
      events: {
        description: 'The events that are sent.',
        type: 'array',
        items: {
          type: 'string',
          enum: [
            'conversation.closed',
            'conversation.opened',
            'message.delivered',
            'message.failed',
            'message.read',
            'message.received',
            'message.sent',
            'optout.created',
            'template.status_updated',
          ],
        },
      },
      description: { description: 'What it is for; null when that was not said.', type: ['string', 'null'] },
      status: { description: 'Whether events are sent to it.', type: 'string', enum: ['ACTIVE', 'DEACTIVATED'] },
      deactivatedAt: {
        description: 'Null while it is active.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      deactivatedReason: { description: 'A sentence; null while it is active.', type: ['string', 'null'] },
      consecutiveFailures: {
        description: 'Failed attempts since the last 2xx; at 10 it is deactivated.',
        type: 'integer',
      },
      createdAt: {
        description: 'When it was registered.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      updatedAt: {
        description: 'When it last changed.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: [
      'id',
      'url',
      'events',
      'description',
      'status',
      'deactivatedAt',
      'deactivatedReason',
      'consecutiveFailures',
      'createdAt',
      'updatedAt',
    ],
  },
  WebhookAttempt: {
    description: 'One HTTP request to a receiver.',
    type: 'object',
    properties: {
      id: { description: 'The id of the attempt.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      deliveryId: { description: 'The delivery that it belongs to.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      event: {
        description: 'Which event was sent.',
        type: 'string',
        enum: [
          'conversation.closed',
          'conversation.opened',
          'message.delivered',
          'message.failed',
          'message.read',
          'message.received',
          'message.sent',
          'optout.created',
          'template.status_updated',
          'webhook.test',
        ],
      },
      dataId: { description: '`data.id` of the body.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      kind: { description: 'Why it was made.', type: 'string', enum: ['AUTOMATIC', 'MANUAL', 'REPLAY', 'TEST'] },
      attempt: { description: 'From 1 within its delivery.', type: 'integer' },
      at: {
        description: 'When it began.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      durationMs: { description: 'How long it took, in milliseconds.', type: 'integer' },
      responseStatus: {
        description: 'The status of the response; null where there was none.',
        type: ['integer', 'null'],
      },
      responseBody: { description: 'At most 1,024 bytes.', type: ['string', 'null'] },
      error: {
        description:
          'Why there was no whole response; `interrupted` where no end was recorded; null where there was one.',
        type: ['string', 'null'],
      },
      outcome: { description: 'Whether a 2xx came in time.', type: 'string', enum: ['FAILED', 'SUCCEEDED'] },
    },
    required: [
      'id',
      'deliveryId',
      'event',
      'dataId',
      'kind',
      'attempt',
      'at',
      'durationMs',
      'responseStatus',
      'responseBody',
      'error',
      'outcome',
    ],
  },
  WebhookDelivery: {
    description: 'An event for one webhook.',
    type: 'object',
    properties: {
      id: { description: 'The id of the delivery.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      event: {
        description: 'Which event it is.',
        type: 'string',
        enum: [
          'conversation.closed',
          'conversation.opened',
          'message.delivered',
          'message.failed',
          'message.read',
          'message.received',
          'message.sent',
          'optout.created',
          'template.status_updated',
          'webhook.test',
        ],
      },
      payload: {
        description: 'The body as it is sent; null when its event is no longer kept (at least 7 days).',
        type: ['object', 'null'],
      },
      state: {
        description: 'How far it has come.',
        type: 'string',
        enum: ['DROPPED', 'FAILED', 'PENDING', 'SUCCEEDED'],
      },
      nextAttemptAt: {
        description: 'Null unless it is PENDING.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      attempts: { description: 'Oldest first.', type: 'array', items: { $ref: '#/components/schemas/WebhookAttempt' } },
    },
    required: ['id', 'event', 'payload', 'state', 'nextAttemptAt', 'attempts'],
  },
  WebhookReplay: {
    description: 'How much a replay sends.',
    type: 'object',
    properties: { count: { description: 'Events that are sent again, or would be.', type: 'integer' } },
    required: ['count'],
  },
  WebhookSecret: {
    description: 'The signing secret of a webhook.',
    type: 'object',
    properties: {
      secret: { description: '`whsec_` and base 64.', type: 'string' },
      previousSecretValidUntil: {
        description: 'Until when the former secret signs too; null when there is none, or its 24 hours are over.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['secret', 'previousSecretValidUntil'],
  },
  WebhookTestResult: {
    description: 'The result of a test send.',
    type: 'object',
    properties: {
      delivered: { description: 'A 2xx within 10 s.', type: 'boolean' },
      responseStatus: {
        description: 'The status of the response; null where there was none.',
        type: ['integer', 'null'],
      },
      responseBody: { description: 'At most 1,024 bytes.', type: ['string', 'null'] },
      error: { description: 'Why there was no whole response; null where there was one.', type: ['string', 'null'] },
      durationMs: { description: 'How long the request took, in milliseconds.', type: 'integer' },
    },
    required: ['delivered', 'responseStatus', 'responseBody', 'error', 'durationMs'],
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** The public name of a shape. */
export type ViewName = keyof typeof views;

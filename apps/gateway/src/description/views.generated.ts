// Generated from libs/contracts/src/*/http.ts: npm run check -- --write
import type { JsonSchema } from '@switchboard/openapi';

/** Every shape that HTTP shows, in JSON Schema by its public name; references lead to components. */
export const views = {
  ApiKey: {
    description: 'An API key as the application lists it.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      label: { type: 'string' },
      prefix: {
        description: "The first 12 characters of the secret, to find it again in one's own configuration.",
        type: 'string',
      },
      scopes: {
        description: 'Null: all scopes.',
        anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
      },
      status: { type: 'string', enum: ['ACTIVE', 'REVOKED'] },
      createdAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      createdBy: {
        description: 'As they were called then; null for a key that no user made.',
        anyOf: [
          {
            type: 'object',
            properties: { id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' }, email: { type: 'string' } },
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
          'Who did it, as they were called then: an operator has the name of his account as id, the platform itself nothing.',
        type: 'object',
        properties: {
          type: { type: 'string', enum: ['operator', 'system', 'user'] },
          id: { type: ['string', 'null'] },
          email: { type: ['string', 'null'] },
        },
        required: ['type', 'id', 'email'],
      },
      address: { description: 'Where the request came from.', type: ['string', 'null'] },
      traceId: { description: "The request's `X-Request-Id`.", type: ['string', 'null'] },
      at: { type: 'string', pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$', format: 'date-time' },
      before: { description: 'What stood before; null: nothing.', type: ['object', 'null'] },
      after: { description: 'The state after the act; null: deleted.', type: ['object', 'null'] },
      hash: { description: '64 hex digits over this act and all before it.', type: 'string' },
    },
    required: ['sequence', 'action', 'actor', 'address', 'traceId', 'at', 'before', 'after', 'hash'],
  },
  Channel: {
    description: 'A channel as the API shows it; every field is always present.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      name: { type: 'string' },
      phone: { description: 'E.164.', type: 'string' },
      provider: { description: 'Whose adapter sends from it.', type: 'string' },
      businessAccountId: { type: 'string' },
      isDefault: { type: 'boolean' },
      status: { type: 'string', enum: ['CONNECTED', 'DISCONNECTED'] },
      createdAt: {
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
  Contact: {
    description: 'A contact as the API shows it; every field is always present.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      phone: { description: 'E.164; empty for a sender whom the upstream names only by an id.', type: 'string' },
      messagingId: { type: 'string' },
      name: { type: ['string', 'null'] },
      email: { type: ['string', 'null'] },
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
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      updatedAt: {
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
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      status: { type: 'string', enum: ['ARCHIVED', 'CLOSED', 'OPEN', 'PENDING', 'SNOOZED'] },
      lastMessageAt: {
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      createdAt: {
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
      messagingChannelId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      contact: {
        type: 'object',
        properties: {
          id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
          name: { type: ['string', 'null'] },
          phone: { type: 'string' },
          messagingId: { type: ['string', 'null'] },
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
      event: { type: 'string', enum: ['conversation.closed', 'conversation.opened'] },
      timestamp: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      data: {
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
            anyOf: [{ $ref: '#/components/schemas/Conversation' }, { $ref: '#/components/schemas/Summarised' }],
          },
        },
        required: ['id', 'sequence', 'conversation'],
      },
    },
    required: ['event', 'timestamp', 'organizationId', 'data'],
  },
  Invite: {
    description: 'An invitation that is open.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      email: { type: 'string' },
      role: { type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
      createdAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      expiresAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['id', 'email', 'role', 'createdAt', 'expiresAt'],
  },
  Member: {
    description: 'A member of the organization.',
    type: 'object',
    properties: {
      id: { description: 'Of the membership, not of the person.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      user: { $ref: '#/components/schemas/User' },
      role: { type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
      createdAt: {
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
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
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
      conversationId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      contactId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      messagingChannelId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      direction: { type: 'string', enum: ['INBOUND', 'OUTBOUND'] },
      type: { type: 'string', enum: ['TEMPLATE', 'TEXT', 'UNSUPPORTED'] },
      unsupportedType: { type: ['string', 'null'] },
      text: { type: ['string', 'null'] },
      template: {
        anyOf: [
          {
            type: 'object',
            properties: {
              id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
              name: { type: 'string' },
              language: { type: 'string' },
            },
            required: ['id', 'name', 'language'],
          },
          { type: 'null' },
        ],
      },
      status: { type: 'string', enum: ['DELIVERED', 'FAILED', 'QUEUED', 'READ', 'RECEIVED', 'SENT'] },
      upstreamMessageId: { type: ['string', 'null'] },
      error: {
        anyOf: [
          {
            type: 'object',
            properties: { code: { type: 'string' }, message: { type: 'string' } },
            required: ['code', 'message'],
          },
          { type: 'null' },
        ],
      },
      createdAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      sentAt: {
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      deliveredAt: {
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      readAt: {
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      failedAt: {
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
  MessageWebhook: {
    description: 'The body of a webhook about a message.',
    type: 'object',
    properties: {
      event: {
        type: 'string',
        enum: ['message.delivered', 'message.failed', 'message.read', 'message.received', 'message.sent'],
      },
      timestamp: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      data: {
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
          message: { anyOf: [{ $ref: '#/components/schemas/Message' }, { $ref: '#/components/schemas/Summarised' }] },
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
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      label: { type: 'string' },
      prefix: {
        description: "The first 12 characters of the secret, to find it again in one's own configuration.",
        type: 'string',
      },
      scopes: {
        description: 'Null: all scopes.',
        anyOf: [{ type: 'array', items: { type: 'string' } }, { type: 'null' }],
      },
      status: { type: 'string', enum: ['ACTIVE', 'REVOKED'] },
      createdAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      createdBy: {
        description: 'As they were called then; null for a key that no user made.',
        anyOf: [
          {
            type: 'object',
            properties: { id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' }, email: { type: 'string' } },
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
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      email: { type: 'string' },
      role: { type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
      createdAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      expiresAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
    },
    required: ['link', 'token', 'id', 'email', 'role', 'createdAt', 'expiresAt'],
  },
  OptOut: {
    description: 'An opt-out as the API and the events show it; every field is always present.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      contactId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      phone: { type: 'string' },
      messagingChannelId: {
        description: 'Null: all channels, those that come later too.',
        type: ['string', 'null'],
        pattern: '^c[0-9a-z]{6,31}$',
      },
      source: { type: 'string', enum: ['API', 'CONSOLE', 'KEYWORD', 'UPSTREAM'] },
      reason: { type: ['string', 'null'] },
      createdAt: {
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
      event: { type: 'string', enum: ['optout.created'] },
      timestamp: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      data: {
        type: 'object',
        properties: {
          id: {
            description:
              'Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by.',
            type: 'string',
            pattern: '^c[0-9a-z]{6,31}$',
          },
          optOut: { anyOf: [{ $ref: '#/components/schemas/OptOut' }, { $ref: '#/components/schemas/Summarised' }] },
        },
        required: ['id', 'optOut'],
      },
    },
    required: ['event', 'timestamp', 'organizationId', 'data'],
  },
  OwnOrganization: {
    description: 'An organization that the person belongs to.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      name: { type: 'string' },
      role: { type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
    },
    required: ['id', 'name', 'role'],
  },
  Ping: {
    description: 'The answer to `GET /v1/ping`.',
    type: 'object',
    properties: {
      ok: { type: 'boolean', enum: [true] },
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
      plan: { type: 'string' },
      subscriptionStatus: { type: 'string', enum: ['ACTIVE', 'CANCELED', 'PAST_DUE'] },
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
      requestsPerMinute: { type: 'integer' },
      requestBurst: { type: 'integer' },
      messagesPerMonth: { type: 'integer' },
      channels: { type: 'integer' },
      seats: { type: 'integer' },
    },
    required: ['requestsPerMinute', 'requestBurst', 'messagesPerMonth', 'channels', 'seats'],
  },
  PlanUsage: {
    description: "What was used of a month's messages.",
    type: 'object',
    properties: { month: { description: 'In UTC: `YYYY-MM`.', type: 'string' }, messages: { type: 'integer' } },
    required: ['month', 'messages'],
  },
  SentMessageResult: {
    description: 'The answer to `POST /v1/messages`.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      conversationId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      contactId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      upstreamMessageId: { type: ['string', 'null'] },
    },
    required: ['id', 'conversationId', 'contactId', 'upstreamMessageId'],
  },
  Session: {
    description: 'Who is signed in, and where; the answer of everything that begins or changes a session.',
    type: 'object',
    properties: {
      user: { $ref: '#/components/schemas/User' },
      organization: {
        type: 'object',
        properties: { id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' }, name: { type: 'string' } },
        required: ['id', 'name'],
      },
      role: { type: 'string', enum: ['ADMIN', 'MEMBER', 'OWNER'] },
      csrfToken: {
        description:
          'Goes into the header `X-CSRF-Token` of every request that is not a GET; changes with the session.',
        type: 'string',
      },
      organizations: {
        description: 'All that the person belongs to, by name.',
        type: 'array',
        items: { $ref: '#/components/schemas/OwnOrganization' },
      },
    },
    required: ['user', 'organization', 'role', 'csrfToken', 'organizations'],
  },
  Summarised: {
    description: 'Stands for a resource whose event would be larger than 256 KB: read it by its id.',
    type: 'object',
    properties: { id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' }, summarised: { type: 'boolean', enum: [true] } },
    required: ['id', 'summarised'],
  },
  Template: {
    description: 'A message template in full; every field is always present.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      source: { type: 'string', enum: ['upstream'] },
      name: { type: 'string' },
      language: { type: 'string' },
      status: { type: 'string', enum: ['APPROVED', 'DISABLED', 'DRAFT', 'PAUSED', 'PENDING', 'REJECTED'] },
      businessAccountId: { type: 'string' },
      messagingChannelId: {
        description: 'The default channel of the account; each channel of the account can send the template.',
        type: 'string',
        pattern: '^c[0-9a-z]{6,31}$',
      },
      upstreamTemplateId: { type: 'string' },
      category: {
        description: 'As the upstream provider calls it: `MARKETING`, `UTILITY`, `AUTHENTICATION`.',
        type: 'string',
      },
      components: {
        description: 'Header, body, footer and buttons, in the form of the upstream provider.',
        type: 'array',
        items: { type: 'object' },
      },
      parameterFormat: { type: 'string', enum: ['NAMED', 'POSITIONAL'] },
      variables: {
        description: 'What a send must give values for, in this order: header, body, buttons.',
        type: 'array',
        items: { $ref: '#/components/schemas/TemplateVariable' },
      },
      createdAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      updatedAt: {
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
  TemplateVariable: {
    description: 'A value that a send must give.',
    type: 'object',
    properties: {
      name: { description: 'Positional ones are called by their number.', type: 'string' },
      in: { type: 'string', enum: ['BODY', 'BUTTON', 'HEADER'] },
    },
    required: ['name', 'in'],
  },
  TemplateWebhook: {
    description: 'The body of a webhook about a template.',
    type: 'object',
    properties: {
      event: { type: 'string', enum: ['template.status_updated'] },
      timestamp: {
        description: 'When it happened.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      data: {
        type: 'object',
        properties: {
          id: {
            description:
              'Unique to the event, and the same in every attempt and for every webhook: what to deduplicate by.',
            type: 'string',
            pattern: '^c[0-9a-z]{6,31}$',
          },
          template: { anyOf: [{ $ref: '#/components/schemas/Summarised' }, { $ref: '#/components/schemas/Template' }] },
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
      event: { type: 'string', enum: ['webhook.test'] },
      timestamp: {
        description: 'When it was asked for.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      organizationId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      data: {
        type: 'object',
        properties: { id: { description: 'Unique to the test.', type: 'string', pattern: '^c[0-9a-z]{6,31}$' } },
        required: ['id'],
      },
    },
    required: ['event', 'timestamp', 'organizationId', 'data'],
  },
  User: {
    description: 'A person as the application shows them.',
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      email: { description: 'In small letters.', type: 'string' },
      name: { type: 'string' },
    },
    required: ['id', 'email', 'name'],
  },
  Webhook: {
    description: "A webhook as the application's API shows it, without its secret.",
    type: 'object',
    properties: {
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      url: { type: 'string' },
      events: {
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
      description: { type: ['string', 'null'] },
      status: { type: 'string', enum: ['ACTIVE', 'DEACTIVATED'] },
      deactivatedAt: {
        description: 'Null while it is active.',
        type: ['string', 'null'],
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      deactivatedReason: { description: 'A sentence; null while it is active.', type: ['string', 'null'] },
      consecutiveFailures: { type: 'integer' },
      createdAt: {
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      updatedAt: {
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
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      deliveryId: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      event: {
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
      kind: { type: 'string', enum: ['AUTOMATIC', 'MANUAL', 'REPLAY', 'TEST'] },
      attempt: { description: 'From 1 within its delivery.', type: 'integer' },
      at: {
        description: 'When it began.',
        type: 'string',
        pattern: '^\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}Z$',
        format: 'date-time',
      },
      durationMs: { type: 'integer' },
      responseStatus: { type: ['integer', 'null'] },
      responseBody: { description: 'At most 1,024 bytes.', type: ['string', 'null'] },
      error: {
        description:
          'Why there was no whole response; `interrupted` where no end was recorded; null where there was one.',
        type: ['string', 'null'],
      },
      outcome: { type: 'string', enum: ['FAILED', 'SUCCEEDED'] },
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
      id: { type: 'string', pattern: '^c[0-9a-z]{6,31}$' },
      event: {
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
        description: 'The body as it is sent; null when its event is no longer kept (7 days).',
        type: ['object', 'null'],
      },
      state: { type: 'string', enum: ['DROPPED', 'FAILED', 'PENDING', 'SUCCEEDED'] },
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
    description: 'What came of a test send.',
    type: 'object',
    properties: {
      delivered: { description: 'A 2xx within 10 s.', type: 'boolean' },
      responseStatus: { type: ['integer', 'null'] },
      responseBody: { description: 'At most 1,024 bytes.', type: ['string', 'null'] },
      error: { description: 'Why there was no whole response; null where there was one.', type: ['string', 'null'] },
      durationMs: { type: 'integer' },
    },
    required: ['delivered', 'responseStatus', 'responseBody', 'error', 'durationMs'],
  },
} as const satisfies Readonly<Record<string, JsonSchema>>;

/** The public name of a shape. */
export type ViewName = keyof typeof views;

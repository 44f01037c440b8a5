-- tables
attempt_begun
attempt_outcome partition by RANGE (message_id)
bulk_item with fillfactor=80, autovacuum_vacuum_scale_factor=0.05
bulk_lane with fillfactor=50, autovacuum_vacuum_scale_factor=0.02
channel
channel_pace with fillfactor=50, autovacuum_vacuum_scale_factor=0.02
contact
contact_phone
conversation with fillfactor=80
data_key
dead_letter
dispatch with fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_threshold=2147483647
erasure with fillfactor=70
event_failure with fillfactor=50
idempotency_key with fillfactor=50, autovacuum_vacuum_scale_factor=0.05
inbox partition by RANGE (event_id)
incarnation with fillfactor=50
message partition by RANGE (id)
message_floor
migration
outbox partition by RANGE (id)
outbox_pending
quota with fillfactor=50
quota_released
quota_reservation with fillfactor=70
relay_state with fillfactor=50
suppression
upstream_message partition by RANGE (month)
waiting_status with autovacuum_vacuum_scale_factor=0.05

-- columns
attempt_begun.organization_id text collate C not null
attempt_begun.job_id text collate C not null
attempt_begun.begun_at timestamp with time zone not null
attempt_begun.message_id text collate C not null
attempt_begun.channel_id text collate C not null
attempt_outcome.organization_id text collate C not null
attempt_outcome.message_id text collate C not null
attempt_outcome.attempt integer not null
attempt_outcome.has_begun boolean not null
attempt_outcome.outcome text not null
attempt_outcome.code text
attempt_outcome.began_at timestamp with time zone not null
attempt_outcome.ended_at timestamp with time zone not null
attempt_outcome.due_at timestamp with time zone not null
attempt_outcome.times integer not null default 1
bulk_item.organization_id text collate C not null
bulk_item.job_id text collate C not null
bulk_item.recipient_index integer not null
bulk_item.message_id text collate C not null
bulk_item.state text not null default 'WAITING'::text
bulk_item.is_contact_known boolean not null
bulk_item.phone text collate C not null
bulk_item.content jsonb
bulk_item.expires_at timestamp with time zone
bulk_lane.organization_id text collate C not null
bulk_lane.job_id text collate C not null
bulk_lane.channel_id text collate C
bulk_lane.throttle_per_hour integer
bulk_lane.is_paused boolean not null default false
bulk_lane.is_withdrawn boolean not null default false
bulk_lane.held_reason text
bulk_lane.next_begin_at timestamp with time zone not null default '-infinity'::timestamp with time zone
bulk_lane.owner text
bulk_lane.begun bigint not null default 0
bulk_lane.finished_at timestamp with time zone
bulk_lane.is_open boolean not null default true
bulk_lane.further_holds text[] not null default '{}'::text[]
bulk_lane.waiting_from integer not null default 0
channel.organization_id text collate C not null
channel.id text collate C not null
channel.name text not null
channel.phone text not null
channel.provider text not null
channel.business_account_id text not null
channel.phone_number_id text not null
channel.access_token_sealed bytea not null
channel.default_region text not null
channel.is_default boolean not null
channel.status text not null
channel.created_at timestamp with time zone not null
channel.opt_out_keywords text[] not null default '{}'::text[]
channel_pace.organization_id text collate C not null
channel_pace.channel_id text collate C not null
channel_pace.per_second real
channel_pace.share real not null default 1
channel_pace.share_changed_at timestamp with time zone not null default '-infinity'::timestamp with time zone
channel_pace.next_begin_at timestamp with time zone not null default '-infinity'::timestamp with time zone
channel_pace.look_at timestamp with time zone not null default 'infinity'::timestamp with time zone
channel_pace.owner text
channel_pace.owned_until timestamp with time zone not null default '-infinity'::timestamp with time zone
contact.organization_id text collate C not null
contact.id text collate C not null
contact.phone text not null
contact.messaging_id text not null
contact.name text
contact.version bigint not null
contact.merged_into text collate C
contact_phone.organization_id text collate C not null
contact_phone.phone text collate C not null
contact_phone.contact_id text collate C not null
contact_phone.version bigint not null default '-1'::integer
conversation.organization_id text collate C not null
conversation.id text collate C not null
conversation.channel_id text collate C not null
conversation.contact_id text collate C not null
conversation.status text not null
conversation.position text collate C not null
conversation.last_message_at timestamp with time zone
conversation.event_sequence bigint not null
conversation.opened_by text collate C
conversation.snoozed_until timestamp with time zone
data_key.organization_id text not null
data_key.wrapped bytea not null
data_key.created_at timestamp with time zone not null default now()
dead_letter.event_id text collate C not null
dead_letter.consumer text not null
dead_letter.subject text not null
dead_letter.envelope text not null
dead_letter.error text not null
dead_letter.deliveries integer not null
dead_letter.died_at timestamp with time zone not null default now()
dead_letter.redrive_requested_at timestamp with time zone
dispatch.organization_id text collate C not null
dispatch.message_id text collate C not null
dispatch.channel_id text collate C not null
dispatch.contact_id text collate C not null
dispatch.recipient_phone text not null
dispatch.state text not null
dispatch.due_at timestamp with time zone not null
dispatch.attempts integer not null
dispatch.lease text not null
dispatch.template_parameters jsonb
dispatch.job_id text collate C
dispatch.is_repeat boolean not null default false
erasure.organization_id text collate C not null
erasure.contact_id text collate C not null
erasure.erased_at timestamp with time zone not null
erasure.passes integer not null default 0
erasure.due_at timestamp with time zone
event_failure.event_id text collate C not null
event_failure.consumer text not null
event_failure.failures integer not null
idempotency_key.organization_id text collate C not null
idempotency_key.key_sha256 bytea not null
idempotency_key.body_sha256 bytea not null
idempotency_key.message_id text collate C not null
idempotency_key.created_at timestamp with time zone not null default now()
idempotency_key.status smallint
idempotency_key.response text
idempotency_key.upstream_code text
inbox.event_id text collate C not null
inbox.consumer text not null
incarnation.id integer not null default 1
incarnation.number integer not null
incarnation.token text not null
incarnation.previous_token text
incarnation.consumer_epoch integer not null
incarnation.compared_at timestamp with time zone not null
incarnation.server_started_at timestamp with time zone not null
message.organization_id text collate C not null
message.id text collate C not null
message.conversation_id text collate C not null
message.contact_id text collate C not null
message.channel_id text collate C not null
message.direction text not null
message.type text not null
message.unsupported_type text
message.text text
message.template jsonb
message.status text not null
message.upstream_message_id text
message.error_code text
message.error_message text
message.attempted_at timestamp with time zone
message.sent_at timestamp with time zone
message.delivered_at timestamp with time zone
message.read_at timestamp with time zone
message.failed_at timestamp with time zone
message.traceparent text
message.client_reference text collate C
message.metadata jsonb
message.job_id text collate C
message.recipient_index integer
message_floor.id integer not null default 1
message_floor.kept_from text collate C not null
migration.id integer not null default nextval('migration_id_seq'::regclass)
migration.timestamp bigint not null
migration.name character varying not null
outbox.id text collate C not null
outbox.position bigint not null default nextval('outbox_position'::regclass)
outbox.aggregate_id text not null
outbox.subject text not null
outbox.payload text not null
outbox.traceparent text
outbox_pending.position bigint not null
outbox_pending.id text collate C not null
quota.organization_id text collate C not null
quota.month text collate C not null
quota.used bigint not null
quota_released.organization_id text collate C not null
quota_released.job_id text collate C not null
quota_released.recipient_index integer not null
quota_reservation.organization_id text collate C not null
quota_reservation.job_id text collate C not null
quota_reservation.month text collate C not null
quota_reservation.count integer not null
quota_reservation.released integer not null default 0
quota_reservation.created_at timestamp with time zone not null default now()
quota_reservation.confirmed_at timestamp with time zone
quota_reservation.closed_at timestamp with time zone
relay_state.stream text collate C not null
relay_state.created text not null
relay_state.last_sequence bigint not null
relay_state.epoch integer not null default 1
relay_state.replay_from text collate C
suppression.organization_id text collate C not null
suppression.contact_id text collate C not null
suppression.channel_id text collate C not null
suppression.source text not null
suppression.created_at timestamp with time zone not null default now()
suppression.observed_by text collate C not null default ''::text
upstream_message.channel_id text collate C not null
upstream_message.upstream_message_id text collate C not null
upstream_message.organization_id text collate C not null
upstream_message.message_id text collate C not null
upstream_message.month text collate C not null default cuid_floor((date_trunc('month'::text, (now() AT TIME ZONE 'UTC'::text)) AT TIME ZONE 'UTC'::text))
waiting_status.event_id text collate C not null
waiting_status.organization_id text collate C not null
waiting_status.channel_id text collate C not null
waiting_status.upstream_message_id text collate C not null
waiting_status.message_id text collate C
waiting_status.fact text not null
waiting_status.traceparent text
waiting_status.looks integer not null
waiting_status.due_at timestamp with time zone not null

-- constraints
attempt_begun: PRIMARY KEY (organization_id, job_id, begun_at, message_id)
attempt_outcome: CHECK ((has_begun = (outcome <> 'UNBEGUN'::text)))
attempt_outcome: CHECK ((outcome = ANY (ARRAY['RETRY'::text, 'UNBEGUN'::text, 'UNKNOWN'::text])))
attempt_outcome: PRIMARY KEY (organization_id, message_id, attempt, has_begun)
bulk_item: CHECK ((recipient_index >= 0))
bulk_item: CHECK ((state = ANY (ARRAY['WAITING'::text, 'BEGUN'::text, 'SKIPPED'::text])))
bulk_item: PRIMARY KEY (organization_id, job_id, recipient_index)
bulk_lane: CHECK ((held_reason = ANY (ARRAY['TEMPLATE_NOT_APPROVED'::text, 'CHANNEL_DISCONNECTED'::text, 'QUOTA'::text, 'SUBSCRIPTION'::text, 'SPAM_LIMIT'::text, 'CHANNEL_BLOCKED'::text])))
bulk_lane: CHECK ((throttle_per_hour > 0))
bulk_lane: PRIMARY KEY (organization_id, job_id)
channel: CHECK ((status = ANY (ARRAY['CONNECTED'::text, 'DISCONNECTED'::text])))
channel: PRIMARY KEY (organization_id, id)
channel_pace: CHECK ((per_second > (0)::double precision))
channel_pace: CHECK (((share > (0)::double precision) AND (share <= (1)::double precision)))
channel_pace: PRIMARY KEY (organization_id, channel_id)
contact: PRIMARY KEY (organization_id, id)
contact_phone: PRIMARY KEY (organization_id, phone)
conversation: CHECK ((status = ANY (ARRAY['OPEN'::text, 'CLOSED'::text, 'PENDING'::text, 'ARCHIVED'::text, 'SNOOZED'::text])))
conversation: PRIMARY KEY (organization_id, id)
data_key: PRIMARY KEY (organization_id)
dead_letter: PRIMARY KEY (event_id, consumer)
dispatch: CHECK ((state = ANY (ARRAY['DISPATCHING'::text, 'RETRY'::text, 'UNKNOWN'::text, 'PACED'::text])))
dispatch: PRIMARY KEY (organization_id, message_id)
erasure: PRIMARY KEY (organization_id, contact_id)
event_failure: PRIMARY KEY (event_id, consumer)
idempotency_key: CHECK ((length(body_sha256) = 32))
idempotency_key: CHECK (((status IS NULL) = (response IS NULL)))
idempotency_key: CHECK ((length(key_sha256) = 32))
idempotency_key: PRIMARY KEY (organization_id, key_sha256)
inbox: PRIMARY KEY (event_id, consumer)
incarnation: CHECK ((id = 1))
incarnation: PRIMARY KEY (id)
message: CHECK ((direction = ANY (ARRAY['OUTBOUND'::text, 'INBOUND'::text])))
message: CHECK ((status = ANY (ARRAY['QUEUED'::text, 'SENT'::text, 'DELIVERED'::text, 'READ'::text, 'FAILED'::text, 'RECEIVED'::text])))
message: CHECK ((type = ANY (ARRAY['TEXT'::text, 'TEMPLATE'::text, 'UNSUPPORTED'::text])))
message: PRIMARY KEY (organization_id, id)
message_floor: CHECK ((id = 1))
message_floor: PRIMARY KEY (id)
migration: PRIMARY KEY (id)
outbox: PRIMARY KEY (id)
outbox_pending: PRIMARY KEY ("position")
quota: CHECK ((month ~ '^[0-9]{4}-[0-9]{2}$'::text))
quota: CHECK ((used >= 0))
quota: PRIMARY KEY (organization_id, month)
quota_released: PRIMARY KEY (organization_id, job_id, recipient_index)
quota_reservation: CHECK (((released >= 0) AND (released <= count)))
quota_reservation: CHECK ((count >= 0))
quota_reservation: CHECK ((month ~ '^[0-9]{4}-[0-9]{2}$'::text))
quota_reservation: PRIMARY KEY (organization_id, job_id)
relay_state: PRIMARY KEY (stream)
suppression: CHECK ((source = ANY (ARRAY['API'::text, 'KEYWORD'::text, 'CONSOLE'::text, 'UPSTREAM'::text])))
suppression: PRIMARY KEY (organization_id, contact_id, channel_id, observed_by)
upstream_message: PRIMARY KEY (channel_id, upstream_message_id, month)
waiting_status: PRIMARY KEY (event_id)

-- indexes
CREATE UNIQUE INDEX attempt_begun_pkey ON messaging.attempt_begun USING btree (organization_id, job_id, begun_at, message_id)
CREATE UNIQUE INDEX attempt_outcome_pkey ON ONLY messaging.attempt_outcome USING btree (organization_id, message_id, attempt, has_begun)
CREATE INDEX bulk_item_unknown ON messaging.bulk_item USING btree (organization_id, job_id, recipient_index) WHERE ((state = 'WAITING'::text) AND (NOT is_contact_known))
CREATE INDEX bulk_item_waiting ON messaging.bulk_item USING btree (organization_id, job_id, recipient_index) WHERE ((state = 'WAITING'::text) AND is_contact_known)
CREATE UNIQUE INDEX bulk_item_pkey ON messaging.bulk_item USING btree (organization_id, job_id, recipient_index)
CREATE INDEX bulk_lane_active ON messaging.bulk_lane USING btree (organization_id, channel_id) WHERE (is_open AND (finished_at IS NULL))
CREATE INDEX bulk_lane_finished ON messaging.bulk_lane USING btree (is_open, finished_at) WHERE (finished_at IS NOT NULL)
CREATE INDEX bulk_lane_held ON messaging.bulk_lane USING btree (organization_id, job_id) WHERE ((held_reason IS NOT NULL) AND is_open)
CREATE INDEX bulk_lane_withdrawn ON messaging.bulk_lane USING btree (organization_id, job_id) WHERE (is_withdrawn AND is_open)
CREATE UNIQUE INDEX bulk_lane_pkey ON messaging.bulk_lane USING btree (organization_id, job_id)
CREATE INDEX channel_business_account ON messaging.channel USING btree (business_account_id)
CREATE UNIQUE INDEX channel_default ON messaging.channel USING btree (organization_id) WHERE is_default
CREATE UNIQUE INDEX channel_phone_number_id ON messaging.channel USING btree (phone_number_id)
CREATE UNIQUE INDEX channel_pkey ON messaging.channel USING btree (organization_id, id)
CREATE INDEX channel_pace_look ON messaging.channel_pace USING btree (look_at)
CREATE UNIQUE INDEX channel_pace_pkey ON messaging.channel_pace USING btree (organization_id, channel_id)
CREATE UNIQUE INDEX contact_pkey ON messaging.contact USING btree (organization_id, id)
CREATE UNIQUE INDEX contact_phone_pkey ON messaging.contact_phone USING btree (organization_id, phone)
CREATE INDEX conversation_branch ON messaging.conversation USING btree ((((((organization_id || ' '::text) || channel_id) || ' '::text) || status)), "position")
CREATE INDEX conversation_position ON messaging.conversation USING btree (organization_id, "position")
CREATE INDEX conversation_snoozed ON messaging.conversation USING btree (snoozed_until) WHERE ((status = 'SNOOZED'::text) AND (snoozed_until IS NOT NULL))
CREATE UNIQUE INDEX conversation_of_contact ON messaging.conversation USING btree (organization_id, channel_id, contact_id)
CREATE UNIQUE INDEX conversation_pkey ON messaging.conversation USING btree (organization_id, id)
CREATE UNIQUE INDEX data_key_pkey ON messaging.data_key USING btree (organization_id)
CREATE INDEX dead_letter_redrive ON messaging.dead_letter USING btree (consumer, event_id) WHERE (redrive_requested_at IS NOT NULL)
CREATE UNIQUE INDEX dead_letter_pkey ON messaging.dead_letter USING btree (event_id, consumer)
CREATE INDEX dispatch_age ON messaging.dispatch USING btree (message_id) WHERE ((state || ' '::text) = ANY (ARRAY['RETRY '::text, 'PACED '::text]))
CREATE INDEX dispatch_due ON messaging.dispatch USING btree (state, due_at)
CREATE INDEX dispatch_line ON messaging.dispatch USING btree ((((organization_id || ' '::text) || channel_id)), due_at) WHERE ((''::text || state) = 'RETRY'::text)
CREATE INDEX dispatch_order ON messaging.dispatch USING btree ((((organization_id || ' '::text) || channel_id)), contact_id, message_id) WHERE ((state || ''::text) = 'RETRY'::text)
CREATE INDEX dispatch_paced ON messaging.dispatch USING btree (organization_id, channel_id, job_id, due_at) WHERE (state = 'PACED'::text)
CREATE INDEX dispatch_repeat ON messaging.dispatch USING btree ((((organization_id || ' '::text) || channel_id)), contact_id, message_id) WHERE (
CASE
    WHEN is_repeat THEN state
    ELSE NULL::text
END = 'DISPATCHING'::text)
CREATE UNIQUE INDEX dispatch_pkey ON messaging.dispatch USING btree (organization_id, message_id)
CREATE INDEX erasure_due ON messaging.erasure USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX erasure_turn ON messaging.erasure USING btree (organization_id, due_at) WHERE (due_at IS NOT NULL)
CREATE UNIQUE INDEX erasure_pkey ON messaging.erasure USING btree (organization_id, contact_id)
CREATE UNIQUE INDEX event_failure_pkey ON messaging.event_failure USING btree (event_id, consumer)
CREATE INDEX idempotency_key_age ON messaging.idempotency_key USING btree (created_at)
CREATE UNIQUE INDEX idempotency_key_pkey ON messaging.idempotency_key USING btree (organization_id, key_sha256)
CREATE UNIQUE INDEX inbox_pkey ON ONLY messaging.inbox USING btree (event_id, consumer)
CREATE UNIQUE INDEX incarnation_pkey ON messaging.incarnation USING btree (id)
CREATE INDEX message_branch ON ONLY messaging.message USING btree ((((((organization_id || ' '::text) || channel_id) || ' '::text) || status)), id) WHERE (channel_id > ''::text)
CREATE INDEX message_job ON ONLY messaging.message USING btree ((((((organization_id || ' '::text) || job_id) || ' '::text) || status)), id) WHERE (job_id > ''::text)
CREATE INDEX message_page ON ONLY messaging.message USING btree ((((organization_id || ' '::text) || conversation_id)), id) WHERE (conversation_id > ''::text)
CREATE INDEX message_reference ON ONLY messaging.message USING btree ((((organization_id || ' '::text) || client_reference)), id) WHERE (client_reference > ''::text)
CREATE UNIQUE INDEX message_pkey ON ONLY messaging.message USING btree (organization_id, id)
CREATE UNIQUE INDEX message_floor_pkey ON messaging.message_floor USING btree (id)
CREATE UNIQUE INDEX "PK_3043fc6b8af7c99b8b98830094f" ON messaging.migration USING btree (id)
CREATE UNIQUE INDEX outbox_pkey ON ONLY messaging.outbox USING btree (id)
CREATE UNIQUE INDEX outbox_pending_pkey ON messaging.outbox_pending USING btree ("position")
CREATE UNIQUE INDEX quota_pkey ON messaging.quota USING btree (organization_id, month)
CREATE UNIQUE INDEX quota_released_pkey ON messaging.quota_released USING btree (organization_id, job_id, recipient_index)
CREATE INDEX quota_reservation_month ON messaging.quota_reservation USING btree (organization_id, month)
CREATE INDEX quota_reservation_unconfirmed ON messaging.quota_reservation USING btree (created_at) WHERE ((confirmed_at IS NULL) AND (closed_at IS NULL))
CREATE UNIQUE INDEX quota_reservation_pkey ON messaging.quota_reservation USING btree (organization_id, job_id)
CREATE UNIQUE INDEX relay_state_pkey ON messaging.relay_state USING btree (stream)
CREATE UNIQUE INDEX suppression_pkey ON messaging.suppression USING btree (organization_id, contact_id, channel_id, observed_by)
CREATE UNIQUE INDEX upstream_message_pkey ON ONLY messaging.upstream_message USING btree (channel_id, upstream_message_id, month)
CREATE INDEX waiting_status_due ON messaging.waiting_status USING btree (organization_id, due_at)
CREATE UNIQUE INDEX waiting_status_pkey ON messaging.waiting_status USING btree (event_id)

-- functions
cuid_floor(moment timestamp with time zone)
drop_message_partition(name text, retention_days integer) security definer
drop_past_partition(name text, retention_days integer) security definer
ensure_partition(parent text, moment_from timestamp with time zone, moment_to timestamp with time zone, suffix text) security definer
forget_small_sizes() security definer
keep_message_month(moment timestamp with time zone) security definer
keep_message_partitions() security definer
keep_outbox_partitions(retention_days integer) security definer
oldest_message_month() security definer
past_message_partitions(retention_days integer) security definer
past_partitions(retention_days integer) security definer
pend_appended()
quota_counted(organization text, of_month text)
release_quota(organizations text[], jobs text[], indexes integer[])
take_quota(organizations text[], months text[], messages integer[], used_before_max bigint[])

-- triggers
CREATE TRIGGER pend_appended AFTER INSERT ON messaging.outbox REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION pend_appended()

-- columns without samples for the planner
bulk_item.content
bulk_item.phone
contact.messaging_id
contact.name
contact.phone
contact_phone.phone
dead_letter.envelope
dead_letter.error
dispatch.recipient_phone
dispatch.template_parameters
idempotency_key.response
message.client_reference
message.error_message
message.metadata
message.text
message_reference.expr
outbox.aggregate_id
outbox.payload
waiting_status.fact

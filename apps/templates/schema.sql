-- tables
account with fillfactor=50
channel
dead_letter
erasure with fillfactor=70
event_failure with fillfactor=50
inbox partition by RANGE (event_id)
incarnation with fillfactor=50
job with fillfactor=50
job_count with fillfactor=30, autovacuum_vacuum_scale_factor=0.05
job_feed with fillfactor=50, autovacuum_vacuum_scale_factor=0.05
job_key with fillfactor=50, autovacuum_vacuum_scale_factor=0.05
lane_order with fillfactor=50
migration
organization with fillfactor=50
outbox partition by RANGE (id)
outbox_pending
recipient with fillfactor=80, autovacuum_vacuum_scale_factor=0.05
relay_state with fillfactor=50
staged_chunk
staged_job
template

-- columns
account.organization_id text collate C not null
account.business_account_id text collate C not null
account.next_sync_at timestamp with time zone not null default now()
account.lease_owner text
account.lease_until timestamp with time zone
account.synced_at timestamp with time zone
account.listed_at timestamp with time zone
account.failures integer not null default 0
account.error text
channel.organization_id text collate C not null
channel.id text collate C not null
channel.business_account_id text collate C
channel.phone text not null
channel.status text not null
channel.is_default boolean not null
channel.default_region text not null
channel.last_event_id text collate C not null
dead_letter.event_id text collate C not null
dead_letter.consumer text not null
dead_letter.subject text not null
dead_letter.envelope text not null
dead_letter.error text not null
dead_letter.deliveries integer not null
dead_letter.died_at timestamp with time zone not null default now()
dead_letter.redrive_requested_at timestamp with time zone
erasure.organization_id text collate C not null
erasure.contact_id text collate C not null
erasure.erased_at timestamp with time zone not null
erasure.passes integer not null default 0
erasure.due_at timestamp with time zone
event_failure.event_id text collate C not null
event_failure.consumer text not null
event_failure.failures integer not null
inbox.event_id text collate C not null
inbox.consumer text not null
incarnation.id integer not null default 1
incarnation.number integer not null
incarnation.token text not null
incarnation.previous_token text
incarnation.consumer_epoch integer not null
incarnation.compared_at timestamp with time zone not null
incarnation.server_started_at timestamp with time zone not null
job.organization_id text collate C not null
job.id text collate C not null
job.template_id text collate C not null
job.channel_id text collate C not null
job.throttle_per_hour integer
job.total integer not null
job.reserved integer not null
job.quota_month text not null
job.state text not null default 'ACTIVE'::text
job.is_paused boolean not null default false
job.holds text[] not null default '{}'::text[]
job.held_at timestamp with time zone
job.scheduled_at timestamp with time zone
job.started_at timestamp with time zone
job.finished_at timestamp with time zone
job.canceled_from integer
job.release_from integer
job_count.organization_id text collate C not null
job_count.job_id text collate C not null
job_count.shard smallint not null
job_count.queued integer not null
job_count.unconfirmed integer not null
job_count.sent integer not null
job_count.delivered integer not null
job_count.read integer not null
job_count.failed integer not null
job_count.skipped integer not null
job_count.settled_at timestamp with time zone
job_feed.organization_id text collate C not null
job_feed.job_id text collate C not null
job_feed.fed_to integer not null default 0
job_feed.claimed_to integer not null default 0
job_feed.due_at timestamp with time zone
job_feed.lease text collate C
job_feed.failures integer not null default 0
job_feed.lane_per_second double precision
job_feed.begun_per_second double precision
job_feed.marked_at timestamp with time zone
job_feed.marked_begun integer
job_key.organization_id text collate C not null
job_key.kind text not null
job_key.sha256 bytea not null
job_key.body_sha256 bytea not null
job_key.job_id text collate C not null
job_key.is_live boolean not null default false
job_key.until timestamp with time zone
lane_order.organization_id text collate C not null
lane_order.job_id text collate C not null
lane_order.actions text[] not null
lane_order.due_at timestamp with time zone not null default now()
lane_order.lease text collate C
lane_order.failures integer not null default 0
migration.id integer not null default nextval('migration_id_seq'::regclass)
migration.timestamp bigint not null
migration.name character varying not null
organization.organization_id text collate C not null
organization.subscription text not null
organization.messages_per_month bigint not null
organization.is_over_quota boolean
organization.asked_at timestamp with time zone
organization.last_event_id text collate C not null
outbox.id text collate C not null
outbox.position bigint not null default nextval('outbox_position'::regclass)
outbox.aggregate_id text not null
outbox.subject text not null
outbox.payload text not null
outbox.traceparent text
outbox_pending.position bigint not null
outbox_pending.id text collate C not null
recipient.organization_id text collate C not null
recipient.job_id text collate C not null
recipient.index integer not null
recipient.phone text not null
recipient.subscriber text
recipient.variables text
recipient.client_reference text
recipient.metadata text
recipient.status text not null default 'QUEUED'::text
recipient.reason text
recipient.message_id text collate C
relay_state.stream text collate C not null
relay_state.created text not null
relay_state.last_sequence bigint not null
relay_state.epoch integer not null default 1
relay_state.replay_from text collate C
staged_chunk.organization_id text collate C not null
staged_chunk.job_id text collate C not null
staged_chunk.first_index integer not null
staged_chunk.recipients integer not null
staged_chunk.shapes text not null
staged_chunk.unread integer[] not null
staged_chunk.staged_at timestamp with time zone not null default now()
staged_job.organization_id text collate C not null
staged_job.job_id text collate C not null
staged_job.has_place boolean not null
staged_job.is_abandoned boolean not null default false
staged_job.created_at timestamp with time zone not null default now()
template.organization_id text collate C not null
template.id text collate C not null
template.business_account_id text collate C not null
template.name text collate C not null
template.language text collate C not null
template.status text not null
template.status_at timestamp with time zone not null
template.upstream_template_id text not null
template.category text not null
template.parameter_format text not null
template.components json not null
template.search_name text not null
template.updated_at timestamp with time zone not null

-- constraints
account: PRIMARY KEY (organization_id, business_account_id)
channel: CHECK ((status = ANY (ARRAY['CONNECTED'::text, 'DISCONNECTED'::text])))
channel: PRIMARY KEY (organization_id, id)
dead_letter: PRIMARY KEY (event_id, consumer)
erasure: PRIMARY KEY (organization_id, contact_id)
event_failure: PRIMARY KEY (event_id, consumer)
inbox: PRIMARY KEY (event_id, consumer)
incarnation: CHECK ((id = 1))
incarnation: PRIMARY KEY (id)
job: CHECK ((state = ANY (ARRAY['ACTIVE'::text, 'COMPLETED'::text, 'CANCELED'::text])))
job: CHECK ((total > 0))
job: PRIMARY KEY (organization_id, id)
job_count: PRIMARY KEY (organization_id, job_id, shard)
job_feed: PRIMARY KEY (organization_id, job_id)
job_key: CHECK ((length(body_sha256) = 32))
job_key: CHECK ((kind = ANY (ARRAY['explicit'::text, 'derived'::text])))
job_key: CHECK ((length(sha256) = 32))
job_key: PRIMARY KEY (organization_id, kind, sha256)
lane_order: PRIMARY KEY (organization_id, job_id)
migration: PRIMARY KEY (id)
organization: CHECK ((subscription = ANY (ARRAY['ACTIVE'::text, 'PAST_DUE'::text, 'CANCELED'::text])))
organization: PRIMARY KEY (organization_id)
outbox: PRIMARY KEY (id)
outbox_pending: PRIMARY KEY ("position")
recipient: PRIMARY KEY (organization_id, job_id, index)
relay_state: PRIMARY KEY (stream)
staged_chunk: PRIMARY KEY (organization_id, job_id, first_index)
staged_job: PRIMARY KEY (organization_id, job_id)
template: CHECK ((parameter_format = ANY (ARRAY['POSITIONAL'::text, 'NAMED'::text])))
template: CHECK ((status = ANY (ARRAY['DRAFT'::text, 'PENDING'::text, 'APPROVED'::text, 'REJECTED'::text, 'PAUSED'::text, 'DISABLED'::text])))
template: PRIMARY KEY (organization_id, id)

-- indexes
CREATE INDEX account_business ON templates.account USING btree (business_account_id)
CREATE INDEX account_due ON templates.account USING btree (next_sync_at)
CREATE UNIQUE INDEX account_pkey ON templates.account USING btree (organization_id, business_account_id)
CREATE INDEX channel_account ON templates.channel USING btree (organization_id, business_account_id, is_default, id)
CREATE UNIQUE INDEX channel_pkey ON templates.channel USING btree (organization_id, id)
CREATE INDEX dead_letter_redrive ON templates.dead_letter USING btree (consumer, event_id) WHERE (redrive_requested_at IS NOT NULL)
CREATE UNIQUE INDEX dead_letter_pkey ON templates.dead_letter USING btree (event_id, consumer)
CREATE INDEX erasure_due ON templates.erasure USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX erasure_turn ON templates.erasure USING btree (organization_id, due_at) WHERE (due_at IS NOT NULL)
CREATE UNIQUE INDEX erasure_pkey ON templates.erasure USING btree (organization_id, contact_id)
CREATE UNIQUE INDEX event_failure_pkey ON templates.event_failure USING btree (event_id, consumer)
CREATE UNIQUE INDEX inbox_pkey ON ONLY templates.inbox USING btree (event_id, consumer)
CREATE UNIQUE INDEX incarnation_pkey ON templates.incarnation USING btree (id)
CREATE INDEX job_active ON templates.job USING btree (organization_id, channel_id) WHERE (state = 'ACTIVE'::text)
CREATE INDEX job_finished ON templates.job USING btree (finished_at) WHERE (state <> 'ACTIVE'::text)
CREATE INDEX job_release ON templates.job USING btree (organization_id, id) WHERE (release_from IS NOT NULL)
CREATE UNIQUE INDEX job_pkey ON templates.job USING btree (organization_id, id)
CREATE UNIQUE INDEX job_count_pkey ON templates.job_count USING btree (organization_id, job_id, shard)
CREATE INDEX job_feed_due ON templates.job_feed USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE UNIQUE INDEX job_feed_pkey ON templates.job_feed USING btree (organization_id, job_id)
CREATE INDEX job_key_job ON templates.job_key USING btree (organization_id, job_id)
CREATE INDEX job_key_until ON templates.job_key USING btree (until) WHERE (until IS NOT NULL)
CREATE UNIQUE INDEX job_key_pkey ON templates.job_key USING btree (organization_id, kind, sha256)
CREATE INDEX lane_order_due ON templates.lane_order USING btree (due_at)
CREATE UNIQUE INDEX lane_order_pkey ON templates.lane_order USING btree (organization_id, job_id)
CREATE UNIQUE INDEX "PK_3043fc6b8af7c99b8b98830094f" ON templates.migration USING btree (id)
CREATE UNIQUE INDEX organization_pkey ON templates.organization USING btree (organization_id)
CREATE UNIQUE INDEX outbox_pkey ON ONLY templates.outbox USING btree (id)
CREATE UNIQUE INDEX outbox_pending_pkey ON templates.outbox_pending USING btree ("position")
CREATE UNIQUE INDEX recipient_pkey ON templates.recipient USING btree (organization_id, job_id, index)
CREATE UNIQUE INDEX relay_state_pkey ON templates.relay_state USING btree (stream)
CREATE UNIQUE INDEX staged_chunk_pkey ON templates.staged_chunk USING btree (organization_id, job_id, first_index)
CREATE INDEX staged_job_age ON templates.staged_job USING btree (created_at)
CREATE UNIQUE INDEX staged_job_pkey ON templates.staged_job USING btree (organization_id, job_id)
CREATE INDEX template_business ON templates.template USING btree (business_account_id, name)
CREATE UNIQUE INDEX template_key ON templates.template USING btree (organization_id, business_account_id, name, language)
CREATE UNIQUE INDEX template_pkey ON templates.template USING btree (organization_id, id)

-- functions
cuid_floor(moment timestamp with time zone)
drop_past_partition(name text, retention_days integer) security definer
ensure_partition(parent text, moment_from timestamp with time zone, moment_to timestamp with time zone, suffix text) security definer
forget_small_sizes() security definer
keep_outbox_partitions(retention_days integer) security definer
past_partitions(retention_days integer) security definer
pend_appended()

-- triggers
CREATE TRIGGER pend_appended AFTER INSERT ON templates.outbox REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION pend_appended()

-- columns without samples for the planner
dead_letter.envelope
dead_letter.error
outbox.aggregate_id
outbox.payload
recipient.client_reference
recipient.metadata
recipient.phone
recipient.subscriber
recipient.variables
staged_chunk.shapes

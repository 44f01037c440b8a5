-- tables
attempt partition by RANGE (id)
beginning
data_key
dead_letter
deleted_webhook
delivery with fillfactor=70, autovacuum_vacuum_scale_factor=0.02, autovacuum_analyze_threshold=2147483647
dropped_delivery partition by RANGE (id)
erasure with fillfactor=70
event partition by RANGE (id)
event_failure with fillfactor=50
feed with fillfactor=50
inbox partition by RANGE (event_id)
incarnation with fillfactor=50
lane with fillfactor=50
line with fillfactor=50
migration
outbox partition by RANGE (id)
outbox_pending
relay_state with fillfactor=50
replay with fillfactor=50, autovacuum_vacuum_scale_factor=0.02
test_send
webhook
worker with fillfactor=50

-- columns
attempt.webhook_id text collate C not null
attempt.id text collate C not null
attempt.organization_id text collate C not null
attempt.delivery_id text collate C not null
attempt.event_id text collate C not null
attempt.type text not null
attempt.kind text not null
attempt.number integer not null
attempt.began_at timestamp with time zone not null
attempt.duration_ms integer not null
attempt.response_status integer
attempt.response_body text
attempt.error text
attempt.outcome text not null
attempt.delivery_state text not null
beginning.event_id text collate C not null
beginning.position_base bigint not null default 0
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
deleted_webhook.organization_id text collate C not null
deleted_webhook.id text collate C not null
deleted_webhook.deleted_at timestamp with time zone not null default now()
delivery.webhook_id text collate C not null
delivery.id text collate C not null
delivery.organization_id text collate C not null
delivery.event_id text collate C not null
delivery.type text not null
delivery.line text collate C not null
delivery.position bigint not null
delivery.body_bytes integer not null
delivery.kind text not null
delivery.attempts integer not null default 0
delivery.tries integer not null default 0
delivery.due_at timestamp with time zone not null
delivery.attempt_id text collate C
delivery.attempt_at timestamp with time zone
delivery.lease_until timestamp with time zone
dropped_delivery.webhook_id text collate C not null
dropped_delivery.id text collate C not null
dropped_delivery.organization_id text collate C not null
dropped_delivery.event_id text collate C not null
dropped_delivery.type text not null
erasure.organization_id text collate C not null
erasure.contact_id text collate C not null
erasure.erased_at timestamp with time zone not null
erasure.passes integer not null default 0
erasure.due_at timestamp with time zone
event.organization_id text collate C not null
event.id text collate C not null
event.type text not null
event.line text collate C not null
event.body text not null
event.occurred_at timestamp with time zone not null
event.stored_at timestamp with time zone not null
event.position bigint not null
event.message_id text collate C
event_failure.event_id text collate C not null
event_failure.consumer text not null
event_failure.failures integer not null
feed.organization_id text collate C not null
feed.last_position bigint not null
inbox.event_id text collate C not null
inbox.consumer text not null
incarnation.id integer not null default 1
incarnation.number integer not null
incarnation.token text not null
incarnation.previous_token text
incarnation.consumer_epoch integer not null
incarnation.compared_at timestamp with time zone not null
incarnation.server_started_at timestamp with time zone not null
lane.webhook_id text collate C not null
lane.organization_id text collate C not null
lane.is_open boolean not null default true
lane.owner text collate C
lane.window_max integer not null default 1
lane.probing_since timestamp with time zone
lane.failed_probes integer not null default 0
lane.next_probe_at timestamp with time zone
lane.held_until timestamp with time zone
lane.consecutive_failures integer not null default 0
lane.counted_until timestamp with time zone
lane.opened_at timestamp with time zone
line.id text collate C not null
line.last_sequence bigint not null
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
relay_state.stream text collate C not null
relay_state.created text not null
relay_state.last_sequence bigint not null
relay_state.epoch integer not null default 1
relay_state.replay_from text collate C
replay.organization_id text collate C not null
replay.id text collate C not null
replay.webhook_id text collate C not null
replay.since timestamp with time zone not null
replay.until timestamp with time zone
replay.types text[] not null
replay.only_missed boolean not null
replay.count integer not null
replay.position bigint not null
replay.up_to bigint not null
replay.state text not null default 'RUNNING'::text
replay.failures integer not null default 0
replay.due_at timestamp with time zone not null default now()
replay.ended_at timestamp with time zone
test_send.webhook_id text collate C not null
test_send.id text collate C not null
test_send.organization_id text collate C not null
test_send.attempt_id text collate C not null
test_send.began_at timestamp with time zone not null
test_send.stored_at timestamp with time zone not null default now()
webhook.organization_id text collate C not null
webhook.id text collate C not null
webhook.url text not null
webhook.events text[] not null
webhook.description text
webhook.secret_sealed bytea not null
webhook.previous_secret_sealed bytea
webhook.previous_secret_until timestamp with time zone
webhook.events_from text collate C not null
webhook.deactivated_at timestamp with time zone
webhook.deactivated_reason text
webhook.updated_at timestamp with time zone not null default now()
webhook.idempotency_key bytea
webhook.idempotency_body bytea
worker.id text collate C not null
worker.lease_until timestamp with time zone not null

-- constraints
attempt: CHECK ((delivery_state = ANY (ARRAY['PENDING'::text, 'SUCCEEDED'::text, 'FAILED'::text, 'DROPPED'::text])))
attempt: CHECK ((kind = ANY (ARRAY['AUTOMATIC'::text, 'MANUAL'::text, 'REPLAY'::text, 'TEST'::text])))
attempt: CHECK ((outcome = ANY (ARRAY['SUCCEEDED'::text, 'FAILED'::text])))
attempt: PRIMARY KEY (webhook_id, id)
beginning: PRIMARY KEY (event_id)
data_key: PRIMARY KEY (organization_id)
dead_letter: PRIMARY KEY (event_id, consumer)
deleted_webhook: PRIMARY KEY (organization_id, id)
delivery: CHECK ((((attempt_id IS NULL) = (attempt_at IS NULL)) AND ((attempt_id IS NULL) = (lease_until IS NULL))))
delivery: CHECK ((kind = ANY (ARRAY['AUTOMATIC'::text, 'MANUAL'::text, 'REPLAY'::text])))
delivery: PRIMARY KEY (webhook_id, id)
dropped_delivery: PRIMARY KEY (webhook_id, id)
erasure: PRIMARY KEY (organization_id, contact_id)
event: PRIMARY KEY (id)
event_failure: PRIMARY KEY (event_id, consumer)
feed: PRIMARY KEY (organization_id)
inbox: PRIMARY KEY (event_id, consumer)
incarnation: CHECK ((id = 1))
incarnation: PRIMARY KEY (id)
lane: PRIMARY KEY (webhook_id)
line: PRIMARY KEY (id)
migration: PRIMARY KEY (id)
outbox: PRIMARY KEY (id)
outbox_pending: PRIMARY KEY ("position")
relay_state: PRIMARY KEY (stream)
replay: CHECK (((state = 'RUNNING'::text) = (ended_at IS NULL)))
replay: CHECK ((state = ANY (ARRAY['RUNNING'::text, 'FINISHED'::text, 'CANCELED'::text])))
replay: PRIMARY KEY (organization_id, id)
test_send: PRIMARY KEY (webhook_id, id)
webhook: CHECK (((deactivated_at IS NULL) = (deactivated_reason IS NULL)))
webhook: CHECK (((previous_secret_sealed IS NULL) = (previous_secret_until IS NULL)))
webhook: CHECK ((length(idempotency_body) = 32))
webhook: CHECK ((length(idempotency_key) = 32))
webhook: PRIMARY KEY (organization_id, id)
worker: PRIMARY KEY (id)

-- indexes
CREATE INDEX attempt_again ON ONLY webhooks.attempt USING btree ((((webhook_id || ' '::text) || event_id))) WHERE ((kind <> 'AUTOMATIC'::text) AND (outcome = 'SUCCEEDED'::text))
CREATE INDEX attempt_delivery ON ONLY webhooks.attempt USING btree (delivery_id)
CREATE INDEX attempt_failed ON ONLY webhooks.attempt USING btree (webhook_id, id) WHERE (outcome = 'FAILED'::text)
CREATE INDEX attempt_of_event ON ONLY webhooks.attempt USING btree (event_id) WHERE (kind <> 'AUTOMATIC'::text)
CREATE UNIQUE INDEX attempt_pkey ON ONLY webhooks.attempt USING btree (webhook_id, id)
CREATE UNIQUE INDEX beginning_pkey ON webhooks.beginning USING btree (event_id)
CREATE UNIQUE INDEX data_key_pkey ON webhooks.data_key USING btree (organization_id)
CREATE INDEX dead_letter_redrive ON webhooks.dead_letter USING btree (consumer, event_id) WHERE (redrive_requested_at IS NOT NULL)
CREATE UNIQUE INDEX dead_letter_pkey ON webhooks.dead_letter USING btree (event_id, consumer)
CREATE INDEX deleted_webhook_deleted ON webhooks.deleted_webhook USING btree (deleted_at)
CREATE UNIQUE INDEX deleted_webhook_pkey ON webhooks.deleted_webhook USING btree (organization_id, id)
CREATE INDEX delivery_first ON webhooks.delivery USING btree (webhook_id, ((kind = 'REPLAY'::text)), "position") WHERE ((tries = 0) AND (attempt_id IS NULL))
CREATE INDEX delivery_retry ON webhooks.delivery USING btree (webhook_id, due_at) WHERE ((tries > 0) AND (attempt_id IS NULL))
CREATE INDEX delivery_under_way ON webhooks.delivery USING btree (webhook_id, lease_until) WHERE (attempt_id IS NOT NULL)
CREATE UNIQUE INDEX delivery_pkey ON webhooks.delivery USING btree (webhook_id, id)
CREATE UNIQUE INDEX dropped_delivery_pkey ON ONLY webhooks.dropped_delivery USING btree (webhook_id, id)
CREATE INDEX erasure_due ON webhooks.erasure USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX erasure_turn ON webhooks.erasure USING btree (organization_id, due_at) WHERE (due_at IS NOT NULL)
CREATE UNIQUE INDEX erasure_pkey ON webhooks.erasure USING btree (organization_id, contact_id)
CREATE INDEX event_feed ON ONLY webhooks.event USING btree (organization_id, "position")
CREATE INDEX event_message ON ONLY webhooks.event USING btree (message_id) WHERE (message_id IS NOT NULL)
CREATE UNIQUE INDEX event_pkey ON ONLY webhooks.event USING btree (id)
CREATE UNIQUE INDEX event_failure_pkey ON webhooks.event_failure USING btree (event_id, consumer)
CREATE UNIQUE INDEX feed_pkey ON webhooks.feed USING btree (organization_id)
CREATE UNIQUE INDEX inbox_pkey ON ONLY webhooks.inbox USING btree (event_id, consumer)
CREATE UNIQUE INDEX incarnation_pkey ON webhooks.incarnation USING btree (id)
CREATE INDEX lane_owner ON webhooks.lane USING btree (owner) WHERE (owner IS NOT NULL)
CREATE UNIQUE INDEX lane_pkey ON webhooks.lane USING btree (webhook_id)
CREATE UNIQUE INDEX line_pkey ON webhooks.line USING btree (id)
CREATE UNIQUE INDEX "PK_3043fc6b8af7c99b8b98830094f" ON webhooks.migration USING btree (id)
CREATE UNIQUE INDEX outbox_pkey ON ONLY webhooks.outbox USING btree (id)
CREATE UNIQUE INDEX outbox_pending_pkey ON webhooks.outbox_pending USING btree ("position")
CREATE UNIQUE INDEX relay_state_pkey ON webhooks.relay_state USING btree (stream)
CREATE INDEX replay_ended ON webhooks.replay USING btree (ended_at) WHERE (ended_at IS NOT NULL)
CREATE INDEX replay_running ON webhooks.replay USING btree (organization_id, due_at) WHERE (ended_at IS NULL)
CREATE UNIQUE INDEX replay_pkey ON webhooks.replay USING btree (organization_id, id)
CREATE INDEX test_send_age ON webhooks.test_send USING btree (stored_at)
CREATE UNIQUE INDEX test_send_pkey ON webhooks.test_send USING btree (webhook_id, id)
CREATE INDEX webhook_former_secret ON webhooks.webhook USING btree (previous_secret_until) WHERE (previous_secret_until IS NOT NULL)
CREATE UNIQUE INDEX webhook_of_request ON webhooks.webhook USING btree (organization_id, idempotency_key) WHERE (idempotency_key IS NOT NULL)
CREATE UNIQUE INDEX webhook_pkey ON webhooks.webhook USING btree (organization_id, id)
CREATE UNIQUE INDEX worker_pkey ON webhooks.worker USING btree (id)

-- functions
cuid_floor(moment timestamp with time zone)
drop_past_partition(name text, retention_days integer) security definer
drop_past_webhook_partition(name text, event_days integer, attempt_days integer) security definer
ensure_partition(parent text, moment_from timestamp with time zone, moment_to timestamp with time zone, suffix text) security definer
forget_small_sizes() security definer
keep_outbox_partitions(retention_days integer) security definer
keep_webhook_partitions(event_days integer) security definer
past_partitions(retention_days integer) security definer
past_webhook_partitions(event_days integer, attempt_days integer) security definer
pend_appended()

-- triggers
CREATE TRIGGER pend_appended AFTER INSERT ON webhooks.outbox REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION pend_appended()

-- columns without samples for the planner
attempt.error
attempt.response_body
dead_letter.envelope
dead_letter.error
event.body
outbox.aggregate_id
outbox.payload

-- tables
api_key with fillfactor=70
audit_entry
audit_floor with fillfactor=50
audit_head with fillfactor=50
data_key
dead_letter
erasure with fillfactor=70
event_failure with fillfactor=50
inbox partition by RANGE (event_id)
incarnation with fillfactor=50
invite
login_throttle unlogged with fillfactor=50
membership
migration
organization
outbox partition by RANGE (id)
outbox_pending
plan
rate_limit unlogged with fillfactor=50
recovery_code
relay_state with fillfactor=50
second_factor
session with fillfactor=70
user_account

-- columns
api_key.id text collate C not null
api_key.organization_id text collate C not null
api_key.label text not null
api_key.prefix text not null
api_key.secret_hash bytea not null
api_key.scopes text[]
api_key.created_by text
api_key.created_at timestamp with time zone not null default now()
api_key.last_used_at timestamp with time zone
api_key.last_used_address inet
api_key.revoked_at timestamp with time zone
api_key.created_by_email text
api_key.idempotency_key bytea
api_key.idempotency_body bytea
api_key.renewed_at timestamp with time zone
audit_entry.organization_id text collate C not null
audit_entry.sequence bigint not null
audit_entry.action text collate C not null
audit_entry.actor_type text not null
audit_entry.actor_id text
audit_entry.actor_email text
audit_entry.address text
audit_entry.trace_id text
audit_entry.at timestamp(3) with time zone not null
audit_entry.recorded_by text not null
audit_entry.before json
audit_entry.after json
audit_entry.hash bytea not null
audit_floor.organization_id text collate C not null
audit_floor.sequence bigint not null
audit_floor.hash bytea not null
audit_head.organization_id text collate C not null
audit_head.sequence bigint not null
audit_head.hash bytea not null
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
invite.id text collate C not null
invite.organization_id text collate C not null
invite.email text collate C not null
invite.role text collate C not null
invite.secret_hash bytea not null
invite.created_at timestamp with time zone not null
invite.expires_at timestamp with time zone not null
invite.invited_by text collate C
login_throttle.subject bytea not null
login_throttle.attempts integer not null
login_throttle.last_attempt_at timestamp with time zone not null
login_throttle.next_attempt_at timestamp with time zone not null
membership.id text collate C not null
membership.organization_id text collate C not null
membership.user_id text collate C not null
membership.role text collate C not null
membership.created_at timestamp with time zone not null default now()
membership.confirmed_at timestamp with time zone default now()
membership.last_used_at timestamp with time zone
migration.id integer not null default nextval('migration_id_seq'::regclass)
migration.timestamp bigint not null
migration.name character varying not null
organization.id text collate C not null
organization.name text not null
organization.plan text collate C not null
organization.subscription_status text not null default 'ACTIVE'::text
organization.requests_per_minute integer
organization.request_burst integer
organization.messages_per_month bigint
organization.channels_max integer
organization.seats_max integer
organization.created_at timestamp with time zone not null default now()
organization.requires_second_factor boolean not null default false
outbox.id text collate C not null
outbox.position bigint not null default nextval('outbox_position'::regclass)
outbox.aggregate_id text not null
outbox.subject text not null
outbox.payload text not null
outbox.traceparent text
outbox_pending.position bigint not null
outbox_pending.id text collate C not null
plan.name text collate C not null
plan.requests_per_minute integer not null
plan.request_burst integer not null
plan.messages_per_month bigint not null
plan.excluded_scopes text[] not null
plan.channels_max integer not null
plan.seats_max integer not null
rate_limit.organization_id text collate C not null
rate_limit.theoretical_arrival bigint not null
rate_limit.clock bigint not null
rate_limit.asked integer not null
rate_limit.interval bigint not null
rate_limit.burst integer not null
rate_limit.granted integer not null
recovery_code.user_id text collate C not null
recovery_code.code_hash bytea not null
relay_state.stream text collate C not null
relay_state.created text not null
relay_state.last_sequence bigint not null
relay_state.epoch integer not null default 1
relay_state.replay_from text collate C
second_factor.user_id text collate C not null
second_factor.seed_sealed bytea not null
second_factor.created_at timestamp with time zone not null
second_factor.enabled_at timestamp with time zone
second_factor.last_step bigint not null default 0
session.id text collate C not null
session.secret_hash bytea not null
session.user_id text collate C not null
session.organization_id text collate C not null
session.signed_in_at timestamp with time zone not null
session.last_seen_at timestamp with time zone not null
session.address text
session.user_agent text
user_account.id text collate C not null
user_account.email text collate C not null
user_account.name text not null
user_account.password_hash text collate C not null
user_account.created_at timestamp with time zone not null default now()
user_account.confirmed_at timestamp with time zone default now()
user_account.device_epoch integer not null default 0

-- constraints
api_key: CHECK ((length(idempotency_body) = 32))
api_key: CHECK ((length(idempotency_key) = 32))
api_key: CHECK ((length(secret_hash) = 32))
api_key: FOREIGN KEY (organization_id) REFERENCES organization(id)
api_key: PRIMARY KEY (id)
api_key: UNIQUE (secret_hash)
audit_entry: CHECK ((action ~ '^[a-z-]+[.][a-z-]+$'::text))
audit_entry: CHECK ((actor_type = ANY (ARRAY['user'::text, 'key'::text, 'operator'::text, 'system'::text])))
audit_entry: PRIMARY KEY (organization_id, sequence)
audit_floor: PRIMARY KEY (organization_id)
audit_head: PRIMARY KEY (organization_id)
data_key: PRIMARY KEY (organization_id)
dead_letter: PRIMARY KEY (event_id, consumer)
erasure: PRIMARY KEY (organization_id, contact_id)
event_failure: PRIMARY KEY (event_id, consumer)
inbox: PRIMARY KEY (event_id, consumer)
incarnation: CHECK ((id = 1))
incarnation: PRIMARY KEY (id)
invite: CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'MEMBER'::text])))
invite: CHECK ((length(secret_hash) = 32))
invite: FOREIGN KEY (invited_by) REFERENCES user_account(id)
invite: FOREIGN KEY (organization_id) REFERENCES organization(id)
invite: PRIMARY KEY (id)
invite: UNIQUE (organization_id, email)
invite: UNIQUE (secret_hash)
login_throttle: PRIMARY KEY (subject)
membership: CHECK ((role = ANY (ARRAY['OWNER'::text, 'ADMIN'::text, 'MEMBER'::text])))
membership: FOREIGN KEY (organization_id) REFERENCES organization(id)
membership: FOREIGN KEY (user_id) REFERENCES user_account(id)
membership: PRIMARY KEY (id)
membership: UNIQUE (organization_id, user_id)
migration: PRIMARY KEY (id)
organization: CHECK ((channels_max >= 0))
organization: CHECK ((messages_per_month >= 0))
organization: CHECK ((request_burst > 0))
organization: CHECK ((requests_per_minute > 0))
organization: CHECK ((seats_max >= 0))
organization: CHECK ((subscription_status = ANY (ARRAY['ACTIVE'::text, 'PAST_DUE'::text, 'CANCELED'::text])))
organization: FOREIGN KEY (plan) REFERENCES plan(name)
organization: PRIMARY KEY (id)
outbox: PRIMARY KEY (id)
outbox_pending: PRIMARY KEY ("position")
plan: CHECK ((messages_per_month >= 0))
plan: CHECK ((request_burst > 0))
plan: CHECK ((requests_per_minute > 0))
plan: PRIMARY KEY (name)
rate_limit: PRIMARY KEY (organization_id)
recovery_code: CHECK ((length(code_hash) = 32))
recovery_code: FOREIGN KEY (user_id) REFERENCES second_factor(user_id) ON DELETE CASCADE
recovery_code: PRIMARY KEY (user_id, code_hash)
relay_state: PRIMARY KEY (stream)
second_factor: FOREIGN KEY (user_id) REFERENCES user_account(id)
second_factor: PRIMARY KEY (user_id)
session: CHECK ((length(secret_hash) = 32))
session: FOREIGN KEY (organization_id) REFERENCES organization(id)
session: FOREIGN KEY (user_id) REFERENCES user_account(id)
session: PRIMARY KEY (id)
session: UNIQUE (secret_hash)
user_account: PRIMARY KEY (id)
user_account: UNIQUE (email)

-- indexes
CREATE INDEX api_key_of_organization ON gateway.api_key USING btree (organization_id, id)
CREATE UNIQUE INDEX api_key_of_request ON gateway.api_key USING btree (organization_id, idempotency_key) WHERE (idempotency_key IS NOT NULL)
CREATE UNIQUE INDEX api_key_pkey ON gateway.api_key USING btree (id)
CREATE UNIQUE INDEX api_key_secret_hash_key ON gateway.api_key USING btree (secret_hash)
CREATE INDEX audit_entry_act ON gateway.audit_entry USING btree (organization_id, actor_id, action, sequence)
CREATE INDEX audit_entry_action ON gateway.audit_entry USING btree (organization_id, action, sequence)
CREATE INDEX audit_entry_actor ON gateway.audit_entry USING btree (organization_id, actor_id, sequence)
CREATE INDEX audit_entry_age ON gateway.audit_entry USING btree (at)
CREATE INDEX audit_entry_at ON gateway.audit_entry USING btree (organization_id, at)
CREATE UNIQUE INDEX audit_entry_pkey ON gateway.audit_entry USING btree (organization_id, sequence)
CREATE UNIQUE INDEX audit_floor_pkey ON gateway.audit_floor USING btree (organization_id)
CREATE UNIQUE INDEX audit_head_pkey ON gateway.audit_head USING btree (organization_id)
CREATE UNIQUE INDEX data_key_pkey ON gateway.data_key USING btree (organization_id)
CREATE INDEX dead_letter_redrive ON gateway.dead_letter USING btree (consumer, event_id) WHERE (redrive_requested_at IS NOT NULL)
CREATE UNIQUE INDEX dead_letter_pkey ON gateway.dead_letter USING btree (event_id, consumer)
CREATE INDEX erasure_due ON gateway.erasure USING btree (due_at) WHERE (due_at IS NOT NULL)
CREATE INDEX erasure_turn ON gateway.erasure USING btree (organization_id, due_at) WHERE (due_at IS NOT NULL)
CREATE UNIQUE INDEX erasure_pkey ON gateway.erasure USING btree (organization_id, contact_id)
CREATE UNIQUE INDEX event_failure_pkey ON gateway.event_failure USING btree (event_id, consumer)
CREATE UNIQUE INDEX inbox_pkey ON ONLY gateway.inbox USING btree (event_id, consumer)
CREATE UNIQUE INDEX incarnation_pkey ON gateway.incarnation USING btree (id)
CREATE INDEX invite_age ON gateway.invite USING btree (expires_at)
CREATE INDEX invite_of_organization ON gateway.invite USING btree (organization_id, id)
CREATE UNIQUE INDEX invite_organization_id_email_key ON gateway.invite USING btree (organization_id, email)
CREATE UNIQUE INDEX invite_pkey ON gateway.invite USING btree (id)
CREATE UNIQUE INDEX invite_secret_hash_key ON gateway.invite USING btree (secret_hash)
CREATE INDEX login_throttle_age ON gateway.login_throttle USING btree (last_attempt_at)
CREATE UNIQUE INDEX login_throttle_pkey ON gateway.login_throttle USING btree (subject)
CREATE INDEX membership_of_organization ON gateway.membership USING btree (organization_id, id)
CREATE INDEX membership_of_user ON gateway.membership USING btree (user_id, id)
CREATE UNIQUE INDEX membership_organization_id_user_id_key ON gateway.membership USING btree (organization_id, user_id)
CREATE UNIQUE INDEX membership_pkey ON gateway.membership USING btree (id)
CREATE UNIQUE INDEX "PK_3043fc6b8af7c99b8b98830094f" ON gateway.migration USING btree (id)
CREATE UNIQUE INDEX organization_pkey ON gateway.organization USING btree (id)
CREATE UNIQUE INDEX outbox_pkey ON ONLY gateway.outbox USING btree (id)
CREATE UNIQUE INDEX outbox_pending_pkey ON gateway.outbox_pending USING btree ("position")
CREATE UNIQUE INDEX plan_pkey ON gateway.plan USING btree (name)
CREATE UNIQUE INDEX rate_limit_pkey ON gateway.rate_limit USING btree (organization_id)
CREATE UNIQUE INDEX recovery_code_pkey ON gateway.recovery_code USING btree (user_id, code_hash)
CREATE UNIQUE INDEX relay_state_pkey ON gateway.relay_state USING btree (stream)
CREATE UNIQUE INDEX second_factor_pkey ON gateway.second_factor USING btree (user_id)
CREATE INDEX session_age ON gateway.session USING btree (signed_in_at)
CREATE INDEX session_of_user ON gateway.session USING btree (user_id, id)
CREATE UNIQUE INDEX session_pkey ON gateway.session USING btree (id)
CREATE UNIQUE INDEX session_secret_hash_key ON gateway.session USING btree (secret_hash)
CREATE UNIQUE INDEX user_account_email_key ON gateway.user_account USING btree (email)
CREATE UNIQUE INDEX user_account_pkey ON gateway.user_account USING btree (id)

-- functions
audit_hash(previous bytea, fields text[])
chain_audit_entry() security definer
cuid_floor(moment timestamp with time zone)
drop_past_partition(name text, retention_days integer) security definer
ensure_partition(parent text, moment_from timestamp with time zone, moment_to timestamp with time zone, suffix text) security definer
forget_small_sizes() security definer
keep_outbox_partitions(retention_days integer) security definer
past_partitions(retention_days integer) security definer
pend_appended()
prune_audit(days integer, slice integer) security definer

-- triggers
CREATE TRIGGER chain_audit_entry BEFORE INSERT ON gateway.audit_entry FOR EACH ROW EXECUTE FUNCTION chain_audit_entry()
CREATE TRIGGER pend_appended AFTER INSERT ON gateway.outbox REFERENCING NEW TABLE AS appended FOR EACH STATEMENT EXECUTE FUNCTION pend_appended()

-- columns without samples for the planner
dead_letter.envelope
dead_letter.error
outbox.aggregate_id
outbox.payload

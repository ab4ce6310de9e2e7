-- A store as of migrations 0001 and 0002, made by the service of that time. Never edited.
CREATE TABLE public.accounts (
    id text NOT NULL,
    email text NOT NULL,
    name text NOT NULL,
    status text NOT NULL,
    created_at bigint NOT NULL,
    key_hash text NOT NULL,
    concurrent_limit integer,
    browser_seconds_cap bigint,
    creates_per_minute integer NOT NULL,
    browser_seconds bigint DEFAULT 0 NOT NULL,
    create_seq bigint DEFAULT 0 NOT NULL,
    stats_token_hash text,
    proxy_user text,
    stats_token_sealed text,
    proxy_password_hash text,
    proxy_password_sealed text,
    stats_seq bigint DEFAULT 0 NOT NULL
);

CREATE TABLE public.bandwidth_days (
    account_id text NOT NULL,
    product text NOT NULL,
    day text NOT NULL,
    country text NOT NULL,
    bytes bigint NOT NULL,
    CONSTRAINT bandwidth_days_bytes_check CHECK (((bytes >= 0) AND (bytes <= '9223372036854775806'::bigint)))
);

CREATE TABLE public.create_attempts (
    account_id text NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL
);

CREATE TABLE public.hosts (
    name text NOT NULL,
    boot text NOT NULL,
    public_url text NOT NULL,
    heartbeat_at bigint NOT NULL
);

CREATE TABLE public.kysely_migration (
    name character varying(255) NOT NULL,
    "timestamp" character varying(255) NOT NULL
);

CREATE TABLE public.kysely_migration_lock (
    id character varying(255) NOT NULL,
    is_locked integer DEFAULT 0 NOT NULL
);

CREATE TABLE public.meter_counters (
    source text NOT NULL,
    account_id text NOT NULL,
    product text NOT NULL,
    day text NOT NULL,
    country text NOT NULL,
    bytes bigint NOT NULL
);

CREATE TABLE public.meter_sources (
    source text NOT NULL,
    reported_at bigint NOT NULL
);

CREATE TABLE public.operator_tokens (
    id text NOT NULL,
    name text NOT NULL,
    token_hash text NOT NULL,
    created_at bigint NOT NULL
);

CREATE TABLE public.sessions (
    id text NOT NULL,
    account_id text NOT NULL,
    cdp_id text NOT NULL,
    viewer_token text NOT NULL,
    state text NOT NULL,
    deadline_at bigint NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint NOT NULL,
    readable_until bigint NOT NULL,
    lifetime_seconds integer NOT NULL,
    ended_at bigint,
    billed_seconds bigint DEFAULT 0 NOT NULL,
    host text,
    host_boot text,
    host_url text,
    viewer integer DEFAULT 0 NOT NULL,
    params text NOT NULL,
    metadata text NOT NULL,
    bytes_up bigint DEFAULT 0 NOT NULL,
    bytes_down bigint DEFAULT 0 NOT NULL,
    metered_product text,
    metered_country text
);

CREATE TABLE public.stats_attempts (
    account_id text NOT NULL,
    seq bigint NOT NULL,
    at bigint NOT NULL
);

CREATE TABLE public.usage_days (
    account_id text NOT NULL,
    day text NOT NULL,
    sessions bigint NOT NULL,
    browser_seconds bigint NOT NULL,
    bytes_up bigint NOT NULL,
    bytes_down bigint NOT NULL
);

CREATE TABLE public.usage_record_ids (
    id text NOT NULL
);

INSERT INTO public.accounts VALUES ('acc_541200a2a253f723c4a71ac9', 'bob@example.com', 'Bob', 'suspended', 1794769922452, '872b86f5de29d8c8e684059499249c7c9f287776eed94c3109e737c31f5cb254', 5, 172800, 60, 0, 0, 'a6485e3f1d5fd9c87f8a40775478443d8c6eda1fab687f83ff736ad48edda938', 'u35ce5e3607e3', 'GSjEY+51q7dEt1fJr9bc/+L63LVrVzrfr11OkASNOHY8f/6bS3E1Fe0RZ1yEtw2CggYImO4Oc0dRFdMDvvwyRcSJUwPvzw2m1wI2XjMv5H0+G4l3vsTpgBY0muGfVz+I+4E=', '6968034356aeb56231d1e1de6a7bb1391208699f5a8bc44e79ccfa472cb5c191', '4UFCzc1d8l9DZjlPLEpBXc8HmygrSmk7KCuX8aQHhXj4iP1kqlYMmsiJDmxVXBGSoxab2EDjy62LvBES', 0);
INSERT INTO public.accounts VALUES ('acc_af2775cf64d753b0c89d668e', 'ann@example.com', 'Ann', 'active', 1794769922437, '1c36301334ca1b4950869ce52a07d48b841a6283d87a6b9a651e3bb80c278265', 7, NULL, 90, 60, 3, '3d6136f21225b91790ae2c8549d36c6a9c5a2ae1cc7366dbb64f7c537588d77a', 'u2af282ff9b60', '9E/kzXJddFIQd7AcBNGShupnF62+AagQHrT2vv7yCOijq6+FdxblDv6Z9fcmO7gFqn4QmYY+CXlgJQdr3hlY8nHFpn95GwF5VIPvs5pWNotJ8LCNKAojq7BWwKjuEkES2H8=', '46b26ec0fecbe21329b2764188d3a6ff6160d4ee2034694b88145adbd45cb2c9', 'SE022F4e3uI5cnbWhERSOdlNYQ/hk7yYGAbi3E7EJBGGZ0LI7xWIwMzZpBKMH0GPphScYjTbJ/B8eDbn', 1);

INSERT INTO public.bandwidth_days VALUES ('acc_af2775cf64d753b0c89d668e', 'residential', '2026-11-15', 'US', 9007199254740993);
INSERT INTO public.bandwidth_days VALUES ('acc_af2775cf64d753b0c89d668e', 'residential', '2026-11-15', 'BR', 500);

INSERT INTO public.create_attempts VALUES ('acc_af2775cf64d753b0c89d668e', 1, 1794769922551);
INSERT INTO public.create_attempts VALUES ('acc_af2775cf64d753b0c89d668e', 2, 1794769922671);
INSERT INTO public.create_attempts VALUES ('acc_af2775cf64d753b0c89d668e', 3, 1794769922680);

INSERT INTO public.hosts VALUES ('host-1', '6602688418463733', 'wss://host.example', 1794769924418);

INSERT INTO public.kysely_migration VALUES ('0001-sessions', '2026-11-15T19:12:02.355Z');
INSERT INTO public.kysely_migration VALUES ('0002-bandwidth', '2026-11-15T19:12:02.401Z');

INSERT INTO public.kysely_migration_lock VALUES ('migration_lock', 0);

INSERT INTO public.meter_counters VALUES ('proxy-1', 'acc_af2775cf64d753b0c89d668e', 'residential', '2026-11-15', 'BR', 500);

INSERT INTO public.meter_sources VALUES ('proxy-1', 1794769922700);

INSERT INTO public.operator_tokens VALUES ('op_a819d9dbc209', 'fleet', '229814b4f68142df4e4a99b4438af6ce2c436d115cb604f5f0d4b44edf0925bf', 1794769922693);

INSERT INTO public.sessions VALUES ('br_4ce70c0c05bfe06d91de70af', 'acc_af2775cf64d753b0c89d668e', 'br_4f1c6ee5f6611ede98b791255a115c86e858751a', '55778ea46d7fc23f2ba5c2d863bbd478ef7b4cbf', 'CLOSED', 1794769957551, 1794769922581, 1794777122581, 1794780722581, 7200, 1794769922600, 30, 'host-1', '6602688418463733', 'wss://host.example', 0, '{"os":"windows","proxy":"http://user:***@198.51.100.7:3128","headless":false,"vnc":false,"force_visibility":false,"maxLifetime":7200}', '{"job":"Größe \"1\"","turnpike":{"host":"host-1","chromiumVersion":"156.0.0.0"}}', 1234, 567890, NULL, NULL);
INSERT INTO public.sessions VALUES ('br_13c5968fdb27d7401be5eac2', 'acc_af2775cf64d753b0c89d668e', 'br_02ace736159c202caa44094065abaaa8c42ec84f', '00d62572fdd1618470664d15844a3be66f07eb53', 'DEAD', 1794769957671, 1794769922675, 1794777122675, 1794780722675, 7200, 1794769922677, 30, 'host-1', '6602688418463733', 'wss://host.example', 0, '{"os":"android","proxy":"http://user:***@198.51.100.7:3128","headless":true,"vnc":false,"force_visibility":false,"maxLifetime":7200}', '{"job":"Größe \"1\"","turnpike":{"host":"host-1","chromiumVersion":"156.0.0.0"}}', 0, 0, NULL, NULL);
INSERT INTO public.sessions VALUES ('br_6100686790f06736161babf7', 'acc_af2775cf64d753b0c89d668e', 'br_58c1a401759d3e8aa8dabb89331b7eaaf28ef983', 'd00e7f0582a88d97b2d86521e46e79b71c49da13', 'ACTIVE', 1794769957680, 1794769922689, 1794856322689, 1794859922689, 86400, NULL, 0, 'host-1', '6602688418463733', 'wss://host.example', 1, '{"os":"windows","proxy":"http://user:***@198.51.100.7:3128","headless":false,"vnc":true,"force_visibility":false,"maxLifetime":86400}', '{"job":"Größe \"1\"","turnpike":{"host":"host-1","chromiumVersion":"156.0.0.0"}}', 0, 0, NULL, NULL);

INSERT INTO public.stats_attempts VALUES ('acc_af2775cf64d753b0c89d668e', 1, 1794769922705);

INSERT INTO public.usage_days VALUES ('acc_af2775cf64d753b0c89d668e', '2026-11-15', 2, 60, 1234, 567890);

INSERT INTO public.usage_record_ids VALUES ('fleet-1');

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_email_key UNIQUE (email);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_key_hash_key UNIQUE (key_hash);

ALTER TABLE ONLY public.accounts
    ADD CONSTRAINT accounts_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.bandwidth_days
    ADD CONSTRAINT bandwidth_days_pk PRIMARY KEY (account_id, product, day, country);

ALTER TABLE ONLY public.create_attempts
    ADD CONSTRAINT create_attempts_pk PRIMARY KEY (account_id, seq);

ALTER TABLE ONLY public.hosts
    ADD CONSTRAINT hosts_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.kysely_migration_lock
    ADD CONSTRAINT kysely_migration_lock_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.kysely_migration
    ADD CONSTRAINT kysely_migration_pkey PRIMARY KEY (name);

ALTER TABLE ONLY public.meter_counters
    ADD CONSTRAINT meter_counters_pk PRIMARY KEY (source, account_id, product, day, country);

ALTER TABLE ONLY public.meter_sources
    ADD CONSTRAINT meter_sources_pkey PRIMARY KEY (source);

ALTER TABLE ONLY public.operator_tokens
    ADD CONSTRAINT operator_tokens_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.operator_tokens
    ADD CONSTRAINT operator_tokens_token_hash_key UNIQUE (token_hash);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_cdp_id_key UNIQUE (cdp_id);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_pkey PRIMARY KEY (id);

ALTER TABLE ONLY public.stats_attempts
    ADD CONSTRAINT stats_attempts_pk PRIMARY KEY (account_id, seq);

ALTER TABLE ONLY public.usage_days
    ADD CONSTRAINT usage_days_pk PRIMARY KEY (account_id, day);

ALTER TABLE ONLY public.usage_record_ids
    ADD CONSTRAINT usage_record_ids_pkey PRIMARY KEY (id);

CREATE UNIQUE INDEX accounts_proxy_user ON public.accounts USING btree (proxy_user);

CREATE UNIQUE INDEX accounts_stats_token_hash ON public.accounts USING btree (stats_token_hash);

CREATE INDEX sessions_by_account ON public.sessions USING btree (account_id, created_at, id);

CREATE INDEX sessions_running ON public.sessions USING btree (account_id, state) WHERE (state = ANY (ARRAY['STARTING'::text, 'ACTIVE'::text]));

ALTER TABLE ONLY public.bandwidth_days
    ADD CONSTRAINT bandwidth_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.create_attempts
    ADD CONSTRAINT create_attempts_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.meter_counters
    ADD CONSTRAINT meter_counters_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.meter_counters
    ADD CONSTRAINT meter_counters_source_fkey FOREIGN KEY (source) REFERENCES public.meter_sources(source);

ALTER TABLE ONLY public.sessions
    ADD CONSTRAINT sessions_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.stats_attempts
    ADD CONSTRAINT stats_attempts_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

ALTER TABLE ONLY public.usage_days
    ADD CONSTRAINT usage_days_account_id_fkey FOREIGN KEY (account_id) REFERENCES public.accounts(id);

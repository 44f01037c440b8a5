import { mkdirSync } from 'node:fs';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { accountRoutes } from './account/account.controller.js';
import { AccountRepository } from './account/account.repository.js';
import { AppendFile } from './append-file/append-file.js';
import { WriteGroup } from './append-file/write-group.js';
import { CallbackClient } from './callback/callback.client.js';
import { callbackRoutes } from './callback/callback.controller.js';
import { CallbackJournal } from './callback/callback-journal.repository.js';
import { DeliverCallbacks } from './callback/deliver-callbacks.worker.js';
import { statusRoutes } from './callback/status.controller.js';
import { TakenStatuses } from './callback/taken-statuses.repository.js';
import { contractHandler } from './contract/contract.handler.js';
import { ProviderListener } from './contract/provider-listener.js';
import { controlGuard } from './control/control-guard.js';
import { controlServer } from './control/control.server.js';
import { inboundRoutes } from './inbound/inbound.controller.js';
import { knobsRoutes } from './knobs/knobs.controller.js';
import { KnobsRepository } from './knobs/knobs.repository.js';
import { OpenRequests } from './request-log/open-requests.js';
import { requestLogRoutes } from './request-log/request-log.controller.js';
import { RequestLog } from './request-log/request-log.repository.js';
import { Limits } from './send-message/limit.policy.js';
import { RefusalCount } from './send-message/magic-recipient.policy.js';
import { MessageIds } from './send-message/message-ids.js';
import { SendMessage } from './send-message/send-message.handler.js';
import type { SimulatorConfig } from './simulator.config.js';
import { templateRoutes } from './template/template.controller.js';
import { TemplateRepository } from './template/template.repository.js';
import { openTestAuthority } from './tls/test-authority.js';
import { TlsListener } from './tls/tls-listener.js';

const SLOW_ANSWER_MS = 10_000;

/** A simulator that takes requests. */
export interface Simulator {
  /** Address of the provider's contract and of the control surface. */
  readonly url: string;
  /** Address of the contract alone: really refuses connections while the knob `down` is on. */
  readonly providerUrl: string;
  /** Address of the contract over TLS, HTTP/2 and HTTP/1.1. */
  readonly tlsUrl: string;
  /** PEM file of the authority that certifies `tlsUrl`. */
  readonly authorityFile: string;
  /** Ends every connection at once; callbacks that are pending wait in the data folder for the next start. */
  close(): Promise<void>;
}

/**
 * Starts a simulator on its data folder, which it must have alone.
 *
 * @param substitutes for tests: the source of randomness (uniform in [0, 1)), and how long the slow recipient takes.
 * @throws the system's error when a port is taken or the folder cannot be written.
 */
export async function startSimulator(
  config: SimulatorConfig,
  substitutes: { readonly random?: () => number; readonly slowAnswerMs?: number } = {},
): Promise<Simulator> {
  const random = substitutes.random ?? Math.random;
  mkdirSync(config.dataDir, { recursive: true });
  const group = new WriteGroup();
  const requestFile = new AppendFile(join(config.dataDir, 'requests.jsonl'));
  const log = new RequestLog(requestFile, group);
  const takenFile = new AppendFile(join(config.dataDir, 'taken-statuses.txt'));
  const taken = new TakenStatuses(takenFile, group);
  const journal = new CallbackJournal(join(config.dataDir, 'callbacks.jsonl'), group);

  const accounts = new AccountRepository(join(config.dataDir, 'accounts.json'), config.accounts);
  const templates = new TemplateRepository(config.templates);
  const knobs = new KnobsRepository({ callbackDelayMs: { read: config.readDelayMs } });
  const limits = new Limits();
  const open = new OpenRequests();
  const ids = new MessageIds();
  const client = new CallbackClient(config.callback);
  const worker = new DeliverCallbacks(client, journal, taken, accounts, ids, random);
  const sendMessage = new SendMessage({
    accounts,
    templates,
    knobs,
    limits,
    log,
    open,
    group,
    worker,
    ids,
    random,
    refusals: new RefusalCount(),
    slowAnswerMs: substitutes.slowAnswerMs ?? SLOW_ANSWER_MS,
  });

  const contract = contractHandler({ knobs, accounts, templates, sendMessage });
  const provider = new ProviderListener(contract, config.host, config.providerPort);
  const authority = await openTestAuthority(config.dataDir);
  const tls = new TlsListener(knobs, contract, authority);
  const app = controlServer(contract, controlGuard([config.host, ...config.controlHosts]));
  app.get('/_sim/health', () => ({
    status: 'ok',
    requests: log.size,
    ...open.snapshot(),
    callbacks: worker.snapshot(),
  }));
  requestLogRoutes(app, log, open, () => taken.clear());
  knobsRoutes(app, knobs, limits, async ({ down }) => (down ? provider.shut() : provider.open()));
  accountRoutes(app, accounts);
  callbackRoutes(app, client, worker);
  statusRoutes(app, { accounts, worker, log, ids, taken });
  inboundRoutes(app, { accounts, worker, ids, limits });
  templateRoutes(app, { accounts, templates, worker });

  await provider.open();
  const tlsPort = await tls.open(config.host, config.tlsPort);
  await app.listen({ host: config.host, port: config.port });
  worker.start();
  const { port } = app.server.address() as AddressInfo;

  return {
    url: `http://${config.host}:${port}`,
    providerUrl: `http://${config.host}:${provider.boundPort}`,
    tlsUrl: `https://${config.host}:${tlsPort}`,
    authorityFile: authority.authorityFile,
    close: async () => {
      sendMessage.stop();
      group.flush();
      provider.destroy();
      tls.close();
      await app.close();
      worker.stop();
      await client.destroy();
      requestFile.close();
      takenFile.close();
      journal.close();
    },
  };
}

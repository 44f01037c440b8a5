import type { DevJson, RunningStack } from '@switchboard/dev';
import { eventually } from '@switchboard/testing/eventually';
import { Api, Simulator, type ApiBody } from './api.js';
import { startOwnStack } from './start-own-stack.js';
import { TraceCollector } from './trace-collector.js';

/** A running stack as its callers, its upstream and its operators see it. */
export interface UsableStack {
  readonly stack: Pick<RunningStack, 'devJson'>;
  readonly baseUrl: string;
  readonly simulator: Simulator;
  /** Keys of two organizations. */
  readonly acme: Api;
  readonly globex: Api;
  /** Acme's message once it has the status; asks until then. */
  messageWhen(id: string | undefined, status: string, deadlineMs?: number): Promise<ApiBody>;
}

/** A stack that a file may kill and configure. */
export interface OwnStack extends UsableStack {
  readonly stack: RunningStack;
  readonly dataDir: string;
  /** Leaves nothing. */
  end(): Promise<void>;
}

/** Everything that `npm start` starts, with every trace recorded. */
export interface EverythingRunning extends OwnStack {
  readonly traces: TraceCollector;
}

/** Starts a stack on a folder of its own. */
export async function startUsable(options: Parameters<typeof startOwnStack>[0] = {}): Promise<OwnStack> {
  const { stack, dataDir } = await startOwnStack(options);
  return { ...usable(stack.devJson), stack, dataDir, end: () => stack.destroy() };
}

/** Starts one whose processes export every span: dearer, for tests that read them. */
export async function startEverything(): Promise<EverythingRunning> {
  const traces = new TraceCollector();
  const environment = {
    OTEL_EXPORTER_OTLP_ENDPOINT: await traces.listen(),
    OTEL_TRACES_SAMPLER: 'parentbased_always_on',
    OTEL_BSP_SCHEDULE_DELAY: '200',
    // None may be lost: what must not be in them is searched for in all.
    OTEL_BSP_MAX_QUEUE_SIZE: '1000000',
  };
  const own = await startUsable({ environment }).catch((error: unknown) => {
    // An open socket would keep a test that cannot begin from ending.
    traces.close();
    throw error;
  });
  return {
    ...own,
    traces,
    end: async () => {
      await own.end();
      traces.close();
    },
  };
}

/** @throws Error when it has nothing to test */
export function usable(devJson: DevJson): UsableStack {
  const { baseUrl, simulatorUrl, organizations } = devJson;
  const [first, second] = organizations ?? [];
  if (!first || !second || !baseUrl || !simulatorUrl) throw new Error('the stack has nothing to test');
  const acme = new Api(baseUrl, first.apiKey);
  return {
    stack: { devJson },
    baseUrl,
    simulator: new Simulator(simulatorUrl),
    acme,
    globex: new Api(baseUrl, second.apiKey),
    messageWhen: (id, status, deadlineMs = 60_000) =>
      eventually(
        async () => {
          const { body } = await acme.get(`/v1/messages/${id}`);
          return body?.status === status ? body : undefined;
        },
        { deadlineMs },
      ),
  };
}

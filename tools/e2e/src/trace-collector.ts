import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** Source: OTLP, `Span.SpanKind`. */
const KINDS = ['UNSPECIFIED', 'INTERNAL', 'SERVER', 'CLIENT', 'PRODUCER', 'CONSUMER'] as const;

/** A span as OTLP over HTTP carries it. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly kind: (typeof KINDS)[number];
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** `batch.items` of a batch; undefined for anything else. */
  readonly items: number | undefined;
  /** Everything as it came, to search for what must not be there. */
  readonly raw: string;
}

interface WireSpan {
  readonly name: string;
  readonly kind: number;
  readonly attributes?: readonly { readonly key: string; readonly value: { readonly intValue?: number | string } }[];
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface WireExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly scope?: unknown; readonly spans: readonly WireSpan[] }[];
  }[];
}

/** Takes real OTLP and keeps its spans. */
export class TraceCollector {
  readonly spans: CollectedSpan[] = [];
  private readonly server: Server;

  constructor() {
    this.server = createServer((request, response) => {
      const chunks: Buffer[] = [];
      request.on('data', (chunk: Buffer) => chunks.push(chunk));
      request.on('end', () => {
        this.keep(JSON.parse(Buffer.concat(chunks).toString('utf8')) as WireExport);
        response.writeHead(200, { 'content-type': 'application/json' }).end('{}');
      });
    });
  }

  /** @returns the endpoint for OTEL_EXPORTER_OTLP_ENDPOINT */
  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
    return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
  }

  /** The span that a link, or a parent's id, leads to. */
  find(spanId: string | undefined): CollectedSpan | undefined {
    return this.spans.find((span) => span.spanId === spanId);
  }

  /** A span under all that it lies below, the root first: `<service> <kind> <name>` each. */
  pathOf(span: CollectedSpan): string[] {
    const parent = this.find(span.parentSpanId);
    return [...(parent ? this.pathOf(parent) : []), `${span.service} ${span.kind} ${span.name}`];
  }

  ofTrace(traceId: string): CollectedSpan[] {
    return this.spans.filter((span) => span.traceId === traceId);
  }

  close(): void {
    this.server.closeAllConnections();
    this.server.close();
  }

  private keep(exported: WireExport): void {
    for (const { resource, scopeSpans } of exported.resourceSpans) {
      const service = resource.attributes.find(({ key }) => key === 'service.name')?.value.stringValue ?? '';
      for (const { scope, spans } of scopeSpans) {
        const around = { resource, scope };
        for (const span of spans)
          this.spans.push({ service, ...collected(span), raw: JSON.stringify({ around, span }) });
      }
    }
  }
}

function collected(span: WireSpan): Omit<CollectedSpan, 'service' | 'raw'> {
  const { name, traceId, spanId, parentSpanId = '', links = [], attributes = [] } = span;
  const items = attributes.find(({ key }) => key === 'batch.items')?.value.intValue;
  const kind = KINDS[span.kind] ?? 'UNSPECIFIED';
  return { name, kind, traceId, spanId, parentSpanId, links, items: items === undefined ? undefined : Number(items) };
}

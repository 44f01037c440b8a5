import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A span as OTLP over HTTP carries it. */
export interface CollectedSpan {
  readonly service: string;
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  readonly links: readonly { readonly traceId: string; readonly spanId: string }[];
  /** Everything as it came, to search for what must not be there. */
  readonly raw: string;
}

interface WireSpan {
  readonly name: string;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly links?: readonly { readonly traceId: string; readonly spanId: string }[];
}

interface WireExport {
  readonly resourceSpans: readonly {
    readonly resource: { readonly attributes: readonly { key: string; value: { stringValue?: string } }[] };
    readonly scopeSpans: readonly { readonly spans: readonly WireSpan[] }[];
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
      for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
        const { name, traceId, spanId, parentSpanId = '', links = [] } = span;
        this.spans.push({ service, name, traceId, spanId, parentSpanId, links, raw: JSON.stringify(span) });
      }
    }
  }
}

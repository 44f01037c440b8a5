import { Module } from '@nestjs/common';
import { ServedDocuments } from './api-documents.js';
import { GATEWAY_CONFIG, type GatewayConfig } from '../gateway.config.js';
import { HttpModule } from '../http/http.module.js';
import { ServeDescriptionController } from './serve-description.controller.js';
import { ShowReferenceController } from './show-reference.controller.js';

/** The OpenAPI documents and the page that shows them. */
@Module({
  imports: [HttpModule],
  controllers: [ServeDescriptionController, ShowReferenceController],
  providers: [
    {
      provide: ServedDocuments,
      useFactory: (config: GatewayConfig) => new ServedDocuments(config.PUBLIC_BASE_URL),
      inject: [GATEWAY_CONFIG],
    },
  ],
})
export class ReferenceModule {}

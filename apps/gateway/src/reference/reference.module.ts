import { Module } from '@nestjs/common';
import { Descriptions } from './descriptions.js';
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
      provide: Descriptions,
      useFactory: (config: GatewayConfig) => new Descriptions(config.PUBLIC_BASE_URL),
      inject: [GATEWAY_CONFIG],
    },
  ],
})
export class ReferenceModule {}

import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { webhooksConfig } from './webhooks.config.js';
import { WebhooksModule } from './webhooks.module.js';

await serve({ service: 'webhooks', config: webhooksConfig(), module: WebhooksModule });

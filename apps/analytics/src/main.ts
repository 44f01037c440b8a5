import 'reflect-metadata';
import { serve } from '@switchboard/platform';
import { analyticsConfig } from './analytics.config.js';
import { AnalyticsModule } from './analytics.module.js';

await serve({ service: 'analytics', config: analyticsConfig(), module: AnalyticsModule });

import { Stack, Tabs, Text } from '@mantine/core';
import type { ReactElement } from 'react';
import { CodeBlock } from '../../ui/copyable.js';
import { verificationCode } from './verification-code.js';

/** Code that verifies the signature, in four languages; the secret comes from the environment of the reader's system. */
export function VerificationPanel(): ReactElement {
  return (
    <Stack gap="sm">
      <Text size="sm" c="dimmed" maw={640}>
        <code>X-Service-Signature</code> is the hex HMAC-SHA256 of the raw body; its key is the whole secret,{' '}
        <code>whsec_</code> included. Verify the bytes before you parse them, and compare in constant time. Libraries
        for Standard Webhooks work too.
      </Text>
      <Tabs defaultValue={verificationCode[0]?.language}>
        <Tabs.List mb="sm">
          {verificationCode.map(({ language }) => (
            <Tabs.Tab key={language} value={language}>
              {language}
            </Tabs.Tab>
          ))}
        </Tabs.List>
        {verificationCode.map(({ language, code }) => (
          <Tabs.Panel key={language} value={language}>
            <CodeBlock code={code} label={`Verification in ${language}`} />
          </Tabs.Panel>
        ))}
      </Tabs>
    </Stack>
  );
}

import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { cssVariablesResolver, theme } from '../ui';
import { RouterMaker } from './snapshots/snapshot-page';
import { SignInConfirmationSlot } from './SignInConfirmationSlot';
import { createAppRouter } from './router';

const schemes = localStorageColorSchemeManager({ key: 'slowpath-color-scheme' });

export function Providers({ client, children }: { client: QueryClient; children: ReactNode }) {
  return (
    <QueryClientProvider client={client}>
      <MantineProvider
        theme={theme}
        cssVariablesResolver={cssVariablesResolver}
        defaultColorScheme="auto"
        colorSchemeManager={schemes}
        deduplicateCssVariables={false}
      >
        <RouterMaker value={createAppRouter}>{children}</RouterMaker>
        <SignInConfirmationSlot />
      </MantineProvider>
    </QueryClientProvider>
  );
}

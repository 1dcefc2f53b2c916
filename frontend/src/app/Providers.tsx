import { MantineProvider, localStorageColorSchemeManager } from '@mantine/core';
import { QueryClientProvider, type QueryClient } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { cssVariablesResolver, theme } from '../ui';

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
        {children}
      </MantineProvider>
    </QueryClientProvider>
  );
}

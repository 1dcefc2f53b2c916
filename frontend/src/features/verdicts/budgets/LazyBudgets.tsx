/** Loads the budgets of a service when they are first shown. */
import { Suspense, lazy } from 'react';
import type { ServiceBudgetsProps } from './ServiceBudgets';

const Section = lazy(() => import('./ServiceBudgets'));

export const ServiceBudgets = (props: ServiceBudgetsProps) => (
  <Suspense fallback={null}>
    <Section {...props} />
  </Suspense>
);

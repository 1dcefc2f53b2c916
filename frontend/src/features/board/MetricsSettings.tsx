/** What of a team's metrics is understood, what is not and why; rules by hand; how long samples stay. */
import type { ReactNode } from 'react';
import { HowToSend } from './EmptyBoard';

export type MetricsSettingsProps = {
  team: { id: string; mayWrite: boolean; mayManage: boolean };
  settingsLink: (tab: 'metrics' | 'tokens', words: string) => ReactNode;
};

export default function MetricsSettings({ team, settingsLink }: MetricsSettingsProps) {
  return <HowToSend environment="production" team={team} settingsLink={settingsLink} />;
}

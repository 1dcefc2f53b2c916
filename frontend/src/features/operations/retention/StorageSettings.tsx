/** What the team stores, for how long it keeps it, and all of it to take away. */
import { TeamExports } from './TeamExports';
import { RetentionRules } from './RetentionRules';
import { UsageSections } from './UsageSections';

export type StorageSettingsProps = { mayManage: boolean };

export default function StorageSettings({ mayManage }: StorageSettingsProps) {
  return (
    <>
      <UsageSections />
      <RetentionRules mayManage={mayManage} />
      <TeamExports mayManage={mayManage} />
    </>
  );
}

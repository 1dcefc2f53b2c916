/** Storage usage and retention of a team. */
import { RetentionRules } from './RetentionRules';
import { UsageSections } from './UsageSections';

export type StorageSettingsProps = { mayManage: boolean };

export default function StorageSettings({ mayManage }: StorageSettingsProps) {
  return (
    <>
      <UsageSections />
      <RetentionRules mayManage={mayManage} />
    </>
  );
}

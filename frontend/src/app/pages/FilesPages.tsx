export function FilesPage() { return null; }
export function FilePage() { return null; }
